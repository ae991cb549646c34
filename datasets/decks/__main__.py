"""`python -m datasets.decks`: writes every drawn deck again, the same bytes every time.

Needs the `train` extra (resvg-py turns the SVG files into PNG rasters; nothing at run time does).
"""
from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from datasets.decks import draw_hwatu

HERE = Path(__file__).parent
PNG_HEIGHT = 300


def raster(svg: str, height: int = PNG_HEIGHT) -> bytes:
    """An SVG text as PNG bytes, `height` pixels high, transparent where nothing is drawn."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, height=height, skip_system_fonts=True))


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


def write_hwatu(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, svg in draw_hwatu.draw_deck():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8", newline="\n")
        (folder / f"{name}.png").write_bytes(raster(svg))
        count += 1
    text = deck_toml("hwatu", (35, 54), dict.fromkeys(draw_hwatu.CARDS, 1), {"joker-2": 2, "joker-3": 3}, draw_hwatu.TWINS,
                     "The project's own hwatu deck, drawn by datasets/decks/draw_hwatu.py.")
    (folder / "deck.toml").write_text(text, encoding="utf-8", newline="\n")
    return count


def main() -> int:
    try:
        import resvg_py  # noqa: F401
    except ImportError:
        print("datasets.decks: resvg-py is not installed, so no PNG can be made: pip install 'kibitz[train]'", file=sys.stderr)
        return 2
    print(f"hwatu: {write_hwatu(HERE / 'hwatu')} cards")
    return 0


if __name__ == "__main__":
    sys.exit(main())
