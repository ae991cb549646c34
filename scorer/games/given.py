"""The parts of a rule case, read strictly: a count is a whole number, a list a list; anything else is named with its key.

Every function raises InputError `bad-case` where the case does not hold what its kind needs.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import InputError

Case = Mapping[str, Any]

MOST = 10_000
"""No table holds more cards, chips or points than this."""


def bad(key: str, value: object, wanted: str) -> InputError:
    """The error for a key whose value is not what is wanted."""
    shown = repr(value)
    return InputError("bad-case", f"key {key!r} is {shown[:60]}", mend=f"give {wanted}")


def need(case: Case, key: str) -> Any:
    """The value of a key that the kind cannot do without."""
    if key not in case:
        raise InputError("bad-case", f"key {key!r} is missing", mend=f"add {key!r}")
    return case[key]


def whole(value: object, key: str, low: int = 0) -> int:
    """A whole number from `low` on."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= MOST:
        raise bad(key, value, f"a whole number from {low} to {MOST}")
    return value


def count(case: Case, key: str, usual: int | None = None) -> int:
    """A count under a key; `usual` where it is absent, None: it must be there."""
    return whole(need(case, key) if usual is None else case.get(key, usual), key)


def entries(case: Case, key: str, usual: Iterable[Any] | None = None) -> list[Any]:
    """A list under a key; `usual` where it is absent or null, None: it must be there."""
    value = need(case, key) if usual is None else case.get(key)
    if value is None and usual is not None:
        return list(usual)
    if not isinstance(value, list | tuple):
        raise bad(key, value, "a list")
    return list(value)


def counts(case: Case, key: str, usual: Iterable[int] | None = None) -> list[int]:
    """A list of counts under a key."""
    return [whole(n, key) for n in entries(case, key, usual)]


def by_player(case: Case, key: str, usual: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """An object {player: …} under a key; `usual` where it is absent or null, None: it must be there and name somebody."""
    value = need(case, key) if usual is None else case.get(key)
    if value is None and usual is not None:
        return dict(usual)
    if not isinstance(value, Mapping) or (usual is None and not value):
        raise bad(key, value, "an object with an entry for each player")
    return {str(player): entry for player, entry in value.items()}


def counts_by_player(case: Case, key: str, usual: Mapping[str, int] | None = None) -> dict[str, int]:
    """Counts by player, {player: n}."""
    return {player: whole(n, f"{key}.{player}") for player, n in by_player(case, key, usual).items()}


def word(case: Case, key: str) -> str:
    """Text that is not empty, under a key that must be there."""
    value = need(case, key)
    if not isinstance(value, str) or not value:
        raise bad(key, value, "a name")
    return value


def moment(value: object, key: str) -> float:
    """A time in milliseconds: a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e12:
        raise bad(key, value, "a time in milliseconds")
    return float(value)
