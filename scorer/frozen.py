"""Frozen JSON values: lists become tuples, objects become a hashable FrozenDict that json.dumps prints as it is."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn


class FrozenDict(dict[str, Any]):
    """A dict that cannot be changed, and so can be hashed and shared between threads."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("a FrozenDict cannot be changed")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type, tuple[dict[str, Any]]]:
        return (FrozenDict, (dict(self),))

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self


EMPTY = FrozenDict()


def freeze(value: Any) -> Any:
    """A JSON value with lists as tuples and objects as FrozenDict. Raises TypeError for what JSON cannot hold."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, FrozenDict):
        return value
    if isinstance(value, Mapping):
        return FrozenDict({str(k): freeze(v) for k, v in value.items()})
    if isinstance(value, list | tuple | set | frozenset):
        return tuple(freeze(v) for v in (value if isinstance(value, list | tuple) else sorted(value)))
    raise TypeError(f"{type(value).__name__} is no JSON value")


def thaw(value: Any) -> Any:
    """The plain JSON form (dicts and lists) of a frozen value."""
    if isinstance(value, Mapping):
        return {k: thaw(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(v) for v in value]
    return value
