"""`python -m datasets.decks`: writes every drawn deck again, the same bytes every time.

Needs the `train` extra (resvg-py turns the SVG files into PNG rasters; nothing at run time does).
"""
from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from datasets.decks import draw_french, draw_hwatu, draw_numbers, raster

HERE = Path(__file__).parent


def deck_toml(kind: str, size_mm: tuple[float, float], copies: Mapping[str, int], worth: Mapping[str, int], twins: Sequence[Sequence[str]],
        about: str) -> str:
    """The deck file of the contract."""
    def row(values: Iterable[str]) -> str:
        return "[" + ", ".join(f'"{v}"' for v in values) + "]"

    lines = [f"# {about}", f'kind = "{kind}"', f"size_mm = [{size_mm[0]:g}, {size_mm[1]:g}]", "flipped = []",
             "# Cards that look alike and count the same.", "twins = [" + ", ".join(row(pair) for pair in twins) + "]", "", "[copies]"]
    lines += [f'"{card}" = {n}' for card, n in copies.items()]
    lines += ["", "[worth]"] if worth else []
    lines += [f'"{card}" = {n}' for card, n in worth.items()]
    return "\n".join(lines) + "\n"


def write(folder: Path, cards: Iterable[tuple[str, str]], toml: str, rasters: bool) -> int:
    """Writes one deck's folder; returns how many cards it holds."""
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, svg in cards:
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8", newline="\n")
        if rasters:
            (folder / f"{name}.png").write_bytes(raster(svg))
        count += 1
    (folder / "deck.toml").write_text(toml, encoding="utf-8", newline="\n")
    return count


def decks() -> dict[str, tuple[Iterable[tuple[str, str]], str, bool]]:
    """Every drawn deck: its cards, its deck file, and whether PNG rasters are kept beside the SVG files."""
    hwatu = deck_toml("hwatu", (35, 54), dict.fromkeys(draw_hwatu.CARDS, 1), {"joker-2": 2, "joker-3": 3}, draw_hwatu.TWINS,
                      "The project's own hwatu deck, drawn by datasets/decks/draw_hwatu.py.")
    out: dict[str, tuple[Iterable[tuple[str, str]], str, bool]] = {"hwatu": (draw_hwatu.draw_deck(), hwatu, True)}
    for number in draw_numbers.DESIGNS:
        copies = {f"n{n}": 2 if n in (1, 100) else 1 for n in draw_numbers.NUMBERS}
        text = deck_toml("numbers", (63, 88), copies, {}, (), "Cards for The Game of our own, drawn by datasets/decks/draw_numbers.py.")
        out[f"numbers-{number.name}"] = draw_numbers.draw_deck(number), text, False
    for french in draw_french.DESIGNS:
        text = deck_toml("french", (63, 88), dict.fromkeys(draw_french.NAMES, 1), {}, (),
            "Playing cards of our own, drawn by datasets/decks/draw_french.py.")
        out[f"french-{french.name}"] = draw_french.draw_deck(french), text, False
    return out


def main() -> int:
    try:
        import resvg_py  # noqa: F401
    except ImportError:
        print("datasets.decks: resvg-py is not installed, so no PNG can be made: pip install 'kibitz[train]'", file=sys.stderr)
        return 2
    for name, (cards, toml, rasters) in decks().items():
        print(f"{name}: {write(HERE / name, cards, toml, rasters)} cards")
    return 0


if __name__ == "__main__":
    sys.exit(main())
