# SPDX-License-Identifier: Apache-2.0
"""How colours look to eyes: contrast (WCAG 2.2), and differences with and without green cones (deuteranopia)."""

from collections.abc import Sequence
from math import dist

_GREEN_BLIND = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
"""Of linear RGB: Machado, Oliveira and Fernandes 2009, deuteranopia."""
_TO_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_WHITE = (0.95047, 1.0, 1.08883)


def _linear(colour: str) -> list[float]:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]


def _times(matrix: Sequence[Sequence[float]], values: Sequence[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, values, strict=True)) for row in matrix]


def contrast(one: str, other: str) -> float:
    """The contrast of two colours such as `#ffffff`: 1 to 21."""
    dark, light = sorted(_times(_TO_XYZ, _linear(colour))[1] for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def difference(one: str, other: str, *, green_blind: bool = False) -> float:
    """The distance of two colours in CIELAB; from about 10 on nobody takes one for the other at a glance."""
    return dist(*(_lab(colour, green_blind) for colour in (one, other)))


def _lab(colour: str, green_blind: bool) -> tuple[float, float, float]:
    rgb = _linear(colour)
    if green_blind:
        rgb = [min(1.0, max(0.0, value)) for value in _times(_GREEN_BLIND, rgb)]
    xyz = (value / white for value, white in zip(_times(_TO_XYZ, rgb), _WHITE, strict=True))
    x, y, z = (value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116 for value in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
