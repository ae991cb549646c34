"""A QR code as SVG, for a phone to open a page."""

from __future__ import annotations

import cv2
import numpy as np


def matrix(text: str) -> list[list[bool]]:
    """The modules of the code, True where dark, without the quiet zone."""
    encoder = cv2.QRCodeEncoder.create()
    code = np.asarray(encoder.encode(text)) < 128
    rows, columns = np.flatnonzero(code.any(1)), np.flatnonzero(code.any(0))
    return [[bool(v) for v in row] for row in code[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]]


def svg(text: str) -> str:
    """The code with its quiet zone of four modules: dark on white whatever the page looks like, so that every camera reads it."""
    modules = matrix(text)
    size = len(modules) + 8
    path = "".join(f"M{x + 4} {y + 4}h1v1h-1z" for y, row in enumerate(modules) for x, dark in enumerate(row) if dark)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" shape-rendering="crispEdges">'
        f'<rect width="{size}" height="{size}" fill="#fff"/><path d="{path}" fill="#000"/></svg>'
    )


def terminal(text: str) -> str:
    """The code in half-height blocks, for a terminal of either colour (the quiet zone is drawn too)."""
    modules = matrix(text)
    width = len(modules[0]) + 4
    rows = [[False] * width] * 2 + [[False, False, *row, False, False] for row in modules] + [[False] * width] * 2
    if len(rows) % 2:
        rows.append([False] * width)
    signs = {(False, False): "█", (False, True): "▀", (True, False): "▄", (True, True): " "}
    return "\n".join("".join(signs[a, b] for a, b in zip(rows[i], rows[i + 1], strict=True)) for i in range(0, len(rows), 2))
