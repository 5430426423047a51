# SPDX-License-Identifier: Apache-2.0
"""Sketches of screens have the size that their headings say, and the parts that every screen has."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/design/screens.md"
_SKETCH = re.compile(r"^### (Runs|Review|Diff), (\d+)x(\d+)\n\n```\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
_LEFT_OUT = re.compile(r" +⋮ (\d+) lines like this one")
SKETCHES = [
    pytest.param(int(width), int(height), text, id=f"{name} {width}x{height}")
    for name, width, height, text in _SKETCH.findall(PAGE.read_text(encoding="utf-8"))
]


def test_three_screens_are_sketched_at_three_sizes() -> None:
    assert len(SKETCHES) == 9


@pytest.mark.parametrize(("width", "height", "text"), SKETCHES)
def test_a_sketch_has_its_size_and_the_parts_of_a_screen(width: int, height: int, text: str) -> None:
    lines = text.splitlines()
    left_out = sum(int(found[1]) - 1 for line in lines if (found := _LEFT_OUT.fullmatch(line)))
    assert len(lines) + left_out == height
    assert max(map(len, lines)) <= width
    assert lines[0].startswith(" tt-xla   on main")
    assert re.search(r"\[\S+ \w+\]", lines[1])
    assert lines[2].startswith("━ ") and re.search(r"\d+ of \d+ ━", lines[2])
    assert lines[-1].endswith("? Help")
    # The detail is below, or right from 180 columns on.
    assert any(line.startswith("─ ") for line in lines) is (width < 180)
    assert any("│─ " in line for line in lines) is (width >= 180)
