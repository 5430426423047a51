# SPDX-License-Identifier: Apache-2.0
"""How lines of a log look."""

from rich.console import Console
from rich.style import Style

from core.runs.log_pattern import parse_filter, parse_pattern
from tui.log_text import gutter_mark, log_style, log_text

HIT = Style(reverse=True)


def test_styles_and_marks_of_lines() -> None:
    lines = {
        "===== BFLOAT16 =====": ("heading", "▶"),
        "TTMLIR_COMPILATION_START": ("hunk", "◆"),
        'TTMATRIX-RESULT {"error": "RuntimeError"}': ("dim", " "),
        '  File "loader.py", line 1': ("dim", " "),
        "RuntimeError: x": ("error", "✗"),
        "fine": ("", " "),
    }
    assert {line: (log_style(line), gutter_mark(line)) for line in lines} == lines


def test_its_own_colours_stand_over_ours_and_hits_over_both() -> None:
    text = log_text("a\x1b[38;5;9mbcd\x1b[0m\x1b]0;title\x07e", parse_pattern("cd"), HIT)
    segments = [(segment.text, segment.style) for segment in text.render(Console())]
    assert [piece for piece, _ in segments] == ["a", "b", "cd", "e"]
    colours = [style.color.number if style and style.color else None for _, style in segments]
    assert colours == [None, 9, 9, None]
    assert [style.reverse if style else None for _, style in segments] == [None, None, True, None]


def test_what_is_searched_to_be_absent_is_not_marked() -> None:
    text = log_text("abc", parse_filter("!b"), HIT)
    assert not text.spans
