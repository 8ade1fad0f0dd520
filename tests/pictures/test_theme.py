"""Colours that people who see fewer of them can tell apart."""

from itertools import combinations

import numpy as np
import pytest

from rankcut.pictures.theme import COLOURS, ON_DARK, OTHERS

# Machado, Oliveira and Fernandes (2009), full severity, in linear RGB.
SIGHT = {
    "usual": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def linear(code):
    values = np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    xyz = np.asarray(to_xyz) @ np.clip(rgb, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("dark", [False, True])
def test_every_two_colours_can_be_told_apart(sight, dark):
    codes = [ON_DARK[code] if dark else code for code in (*COLOURS, OTHERS)]
    seen = [lab(np.asarray(SIGHT[sight]) @ linear(code)) for code in codes]
    # A difference of about 2 can just be seen; patches that are small need several times that.
    apart = [np.linalg.norm(a - b) for a, b in combinations(seen, 2)]
    assert min(apart) > 8
