# SPDX-License-Identifier: Apache-2.0
"""tui.view_models.pairs: two texts side by side."""

from rich.cells import cell_len

from tui.view_models import Cell, ListedPairs, Pair, PairLines


def texts(lines: PairLines) -> list[str]:
    made = lines.lines(0, lines.line_count)
    return ["".join(cell.text for cell in line if isinstance(cell, Cell)).rstrip() for line in made]


def test_equal_lines_are_folded_and_differences_are_found() -> None:
    pairs = [Pair(f"line {number}", f"line {number}", False) for number in range(20)]
    pairs[10] = Pair("gone", "", True)
    pairs[11] = Pair("", "new", True)
    lines = PairLines(ListedPairs(pairs))
    lines.width = 43
    assert texts(lines) == [
        "   … 8 equal lines",
        "line 8               │ line 8",
        "line 9               │ line 9",
        "gone                -│",
        "                     │+new",
        "line 12              │ line 12",
        "line 13              │ line 13",
        "   … 6 equal lines",
    ]
    assert lines.differences == [3]
    assert PairLines(ListedPairs(pairs), folded=False).line_count == 20


def test_every_line_is_as_wide_as_it_may_be_at_any_offset() -> None:
    pairs = [Pair("a long line of the left side", "日本語のテキスト", True), Pair("", "", False)]
    for width in (8, 20, 41, 80):
        for offset in (0, 5, 100):
            lines = PairLines(ListedPairs(pairs), folded=False)
            lines.width, lines.offset = width, offset
            for line in lines.lines(0, 2):
                assert sum(cell_len(cell.text) for cell in line if isinstance(cell, Cell)) <= width
    assert PairLines(ListedPairs([])).line_count == 0
