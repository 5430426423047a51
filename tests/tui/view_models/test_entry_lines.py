# SPDX-License-Identifier: Apache-2.0
"""Entries before and after: nothing is cut off, and both sides are where they belong."""

from collections.abc import Sequence

from hypothesis import given, strategies as st
from rich.cells import cell_len

from core.edits import EntryText
from tui.view_models import Cell, paragraph
from tui.view_models.fitting import CellLine, wrapped
from tui.view_models.preview import entry_lines

ENTRY = EntryText(
    "a/b-c",
    "torch/x.yaml",
    ("  a/b-c:", "    status: SKIP", "    reason: DRAM OOM"),
    ("  a/b-c:", "    status: XFAIL", "    reason: L1 OOM", "    markers: [large]"),
)


def _texts(lines: Sequence[CellLine]) -> list[str]:
    return ["".join(cell.text for cell in line).rstrip() for line in lines]


def _words(lines: Sequence[CellLine], style: str) -> list[str]:
    return [cell.text.strip() for line in lines for cell in line if cell.style == style]


def test_one_under_the_other() -> None:
    lines = entry_lines([ENTRY], 80)
    assert _texts(lines) == [
        "torch/x.yaml",
        "   a/b-c:",
        "-    status: SKIP",
        "+    status: XFAIL",
        "-    reason: DRAM OOM",
        "+    reason: L1 OOM",
        "+    markers: [large]",
    ]
    assert _words(lines, "removed-word") == ["SKIP", "DRAM"]
    assert _words(lines, "added-word") == ["XFAIL", "L1"]


def test_side_by_side() -> None:
    lines = entry_lines([ENTRY], 120)
    left, right = zip(*(text.split(" │ ") for text in _texts(lines)[1:]), strict=True)
    assert [one.rstrip() for one in left] == ["   a/b-c:", "-    status: SKIP", "-    reason: DRAM OOM", ""]
    assert right == ("   a/b-c:", "+    status: XFAIL", "+    reason: L1 OOM", "+    markers: [large]")


def test_a_new_entry_has_one_side_at_any_width() -> None:
    new = EntryText("x", "f", (), ("  x:",))
    assert _texts(entry_lines([new], 160)) == ["f", "+  x:"]


def test_text_from_outside_steers_nothing() -> None:
    lines = entry_lines([EntryText("x\x1b[2J", "f", ("\x1b[31mred", "[bold]x"), ("\x1b[31mred",))], 80)
    assert not any("\x1b" in text for text in _texts(lines))
    assert "-[bold]x" in _texts(lines)


@given(st.lists(st.text("ab 漢", max_size=30), max_size=5), st.integers(2, 20))
def test_wrapped_lines_fit_and_lose_nothing(words: list[str], width: int) -> None:
    lines = wrapped([Cell(word) for word in words], width)
    assert all(sum(cell_len(cell.text) for cell in line) <= width for line in lines)
    assert "".join(cell.text for line in lines for cell in line) == "".join(words)


def test_what_goes_on_in_the_next_line_is_indented() -> None:
    text = EntryText("x", "f", ("  x:", "    reason: one two three"), ())
    assert _texts(entry_lines([text], 20))[2:] == ["-    reason: one", "-      two three"]


def test_a_paragraph() -> None:
    assert _texts(paragraph("why it is so\nand more", "dim", 10)) == ["why it is", "so and", "more"]
