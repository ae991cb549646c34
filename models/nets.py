"""The networks: PoseNet finds every card's whole outline, OutlineNet fits the outline of one card more closely, IdentityNet says which card an
upright crop shows; IndexNet finds the corner indices of playing cards and GlyphNet reads them.

Plain 3 × 3 convolutions with batch norm and ReLU: on CPUs without VNNI depthwise ones are no faster and train at half the speed.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

POSE_STRIDE = 4
POSE_UNIT = 32.0  # px: lengths are predicted in this unit
POSE_WIDTHS = (16, 32, 48, 80, 112)
TABLE_WIDTHS = (16, 16, 48, 80, 112)  # the finest cells cost most
POSE_CHANNELS = ("card", "hand", "cx", "cy", "u2c", "u2s", "v2c", "v2s", "gx", "gy", "log_s", "join_x", "join_y")
OUTLINE_CHANNELS = ("mine", *POSE_CHANNELS[2:11])
OUTLINE_WIDTHS = (16, 32, 48, 80, 112)
INDEX_CHANNELS = ("index", "cx", "cy", "ux", "uy", "vx", "vy", "length")
GLYPH_CHANNELS = ("none", *(f"rank {r}" for r in "A23456789TJQK"), *(f"suit {s}" for s in "cdhs"))


class Conv(nn.Sequential):
    """3 × 3 convolution, batch norm, ReLU."""

    def __init__(self, cin: int, cout: int, stride: int = 1) -> None:
        super().__init__(nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class Residual(nn.Module):
    """Two 3 × 3 convolutions around a skip."""

    def __init__(self, c: int) -> None:
        super().__init__()
        self.a = Conv(c, c)
        self.b = nn.Sequential(nn.Conv2d(c, c, 3, 1, 1, bias=False), nn.BatchNorm2d(c))

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.b(self.a(x)))


class Finer(nn.Sequential):
    """Twice the resolution, each of the four new cells with weights of its own.

    Copying a coarse cell to its four would leave them unable to tell where in it they lie, and an offset to a centre changes from cell to cell.
    """

    def __init__(self, cin: int, cout: int) -> None:
        super().__init__(nn.Conv2d(cin, 4 * cout, 1), nn.PixelShuffle(2))


class PoseNet(nn.Module):
    """(B, 3, H, W) BGR in 0..1 → (B, 13, H/4, W/4), channels POSE_CHANNELS; H and W multiples of 32.

    Every pixel of a card votes for its own whole card: centre offset (cx, cy), the half axes to its right and lower edge as
    length · (cos 2θ, sin 2θ) so that up and down are one, the projective part g, and log_s, the vote's own expected error;
    join_x, join_y: whether the cell to the right, below, belongs to the same card.
    """

    def __init__(self, c: tuple[int, int, int, int, int] = POSE_WIDTHS, planes: int = 3, channels: int = len(POSE_CHANNELS)) -> None:
        super().__init__()
        self.stem = nn.Sequential(Conv(planes, c[0], 2), Conv(c[0], c[1], 2))
        self.d8 = nn.Sequential(Conv(c[1], c[2], 2), Residual(c[2]))
        self.d16 = nn.Sequential(Conv(c[2], c[3], 2), Residual(c[3]))
        self.d32 = nn.Sequential(Conv(c[3], c[4], 2), Residual(c[4]), Residual(c[4]))
        self.l32 = Finer(c[4], c[3])
        self.u16 = Conv(c[3], c[3])
        self.l16 = Finer(c[3], c[2])
        self.u8 = Conv(c[2], c[2])
        self.l8 = Finer(c[2], c[1])
        self.u4 = Conv(c[1], c[1])
        self.head = nn.Conv2d(c[1], channels, 1)
        with torch.no_grad():
            self.head.bias.zero_()
            self.head.bias[0] = -2.0

    def forward(self, x: Tensor) -> Tensor:
        x4 = self.stem(x)
        x8 = self.d8(x4)
        x16 = self.d16(x8)
        y = self.d32(x16)
        y = self.u16(self.l32(y) + x16)
        y = self.u8(self.l16(y) + x8)
        y = self.u4(self.l8(y) + x4)
        return self.head(y)


class OutlineNet(PoseNet):
    """(B, 4, H, W) BGR in 0..1 and a dot on one card → (B, 10, H/4, W/4), channels OUTLINE_CHANNELS; H and W multiples of 32.

    "mine": whether a cell belongs to the card with the dot; the cells that do vote for it as PoseNet's do.
    """

    def __init__(self) -> None:
        super().__init__(OUTLINE_WIDTHS, 4, len(OUTLINE_CHANNELS))


class IndexNet(nn.Module):
    """(B, 3, H, W) BGR in 0..1 → (B, 8, H/4, W/4), channels INDEX_CHANNELS; H and W multiples of 16.

    "index": whether the middle of a playing card's corner index lies in the cell; there its card, the centre's offset and the half axes to the
    card's right and down as the index stands, and the index's length, in POSE_UNIT.
    """

    def __init__(self, c: tuple[int, int, int, int] = (16, 24, 36, 56)) -> None:
        super().__init__()
        self.stem = nn.Sequential(Conv(3, c[0], 2), Conv(c[0], c[1], 2))
        self.d8 = nn.Sequential(Conv(c[1], c[2], 2), Residual(c[2]))
        self.d16 = nn.Sequential(Conv(c[2], c[3], 2), Residual(c[3]))
        self.l16 = Finer(c[3], c[2])
        self.u8 = Conv(c[2], c[2])
        self.l8 = Finer(c[2], c[1])
        self.u4 = nn.Sequential(Conv(c[1], c[1]), Conv(c[1], 40))
        self.head = nn.Conv2d(40, len(INDEX_CHANNELS), 1)
        with torch.no_grad():
            self.head.bias.zero_()
            self.head.bias[0] = -4.0

    def forward(self, x: Tensor) -> Tensor:
        x4 = self.stem(x)
        x8 = self.d8(x4)
        y = self.u8(self.l16(self.d16(x8)) + x8)
        return self.head(self.u4(self.l8(y) + x4))


class GlyphNet(nn.Module):
    """(B, 3, 48, 32) BGR in 0..1, a corner index upright in the middle → (B, 18) logits, GLYPH_CHANNELS: of none and the ranks, of the suits."""

    def __init__(self, c: tuple[int, int, int, int] = (12, 24, 24, 48)) -> None:
        super().__init__()
        self.body = nn.Sequential(Conv(3, c[0], 2), Conv(c[0], c[1]), Conv(c[1], c[2], 2), Conv(c[2], c[3], 2))
        self.head = nn.Linear(c[3] * 6 * 4, len(GLYPH_CHANNELS))

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x).flatten(1))


class IdentityNet(nn.Module):
    """(B, 4, 144, 96) BGR in 0..1 and the mask of what shows → embedding (B, 128) of length 1 and end-up logit (B, 1).

    Features are averaged over the cells that show and also taken at their strongest, so a thin strip is not drowned by what covers the card.
    """

    def __init__(self, classes: int, c: tuple[int, int, int, int] = (16, 32, 64, 96), dim: int = 128) -> None:
        super().__init__()
        self.body = nn.Sequential(
            Conv(4, c[0], 2), Conv(c[0], c[1], 2), Conv(c[1], c[2], 2), Residual(c[2]),
        )
        self.place = nn.Parameter(torch.zeros(1, c[2], 18, 12))
        self.tail = nn.Sequential(Conv(c[2], c[3], 2), Conv(c[3], c[3]))
        self.pool = nn.MaxPool2d(16, 16)
        self.embed = nn.Linear(2 * c[3], dim)
        self.end = nn.Linear(2 * c[3], 1)
        self.proxies = nn.Parameter(torch.randn(classes, dim) * 0.1)
        self.scale = nn.Parameter(torch.tensor(14.0))

    def features(self, x: Tensor, shown: Tensor) -> Tensor:
        y = self.tail(self.body(x) + self.place)  # (B, C, 9, 6)
        m = self.pool(shown)
        mean = (y * m).sum((2, 3)) / (m.sum((2, 3)) + 0.1)
        top = (y * m).amax((2, 3))
        return torch.cat([mean, top], 1)

    def forward(self, x: Tensor, shown: Tensor | None = None) -> tuple[Tensor, Tensor]:
        f = self.features(x, x[:, 3:4] if shown is None else shown)
        e = self.embed(f)
        return e / (e.square().sum(1, keepdim=True) + 1e-6).sqrt(), self.end(f)

    def logits(self, e: Tensor) -> Tensor:
        p = self.proxies / (self.proxies.square().sum(1, keepdim=True) + 1e-6).sqrt()
        return self.scale.clamp(4, 40) * (e @ p.T)
