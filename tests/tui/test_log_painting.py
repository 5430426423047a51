# SPDX-License-Identifier: Apache-2.0
"""How lines of a log look."""

from pathlib import Path

from rich.style import Style

from core.runs.log import LogFile, LogLook, parse_filter, parse_pattern
from tui.widgets.log_painting import LogPainter, log_segments, log_style

STYLES = {"": Style(color="white"), "hit": Style(reverse=True)}


def _mark(line: str) -> str:
    """What is before a line."""
    return log_segments(line, lambda _: Style.null(), None)[0].text[:1]


def test_styles_and_marks_of_lines() -> None:
    lines = {
        "===== BFLOAT16 =====": ("heading", "▶"),
        "TTMLIR_COMPILATION_START": ("hunk", "◆"),
        'TTMATRIX-RESULT {"error": "RuntimeError"}': ("dim", " "),
        '  File "loader.py", line 1': ("dim", " "),
        "RuntimeError: x": ("error", "✗"),
        "fine": ("", " "),
    }
    assert {line: (log_style(line), _mark(line)) for line in lines} == lines


def test_its_own_colours_are_over_ours_and_hits_over_both() -> None:
    segments = log_segments("a\x1b[38;5;9mbcd\x1b[0m\x1b]0;title\x07e", STYLES.__getitem__, parse_pattern("cd"))
    assert [segment.text for segment in segments] == ["  ", "a", "b", "cd", "e"]
    styles = [segment.style for segment in segments if segment.style is not None]
    assert [style.color.number if style.color else None for style in styles] == [7, 7, 9, 9, 7]
    assert [style.reverse for style in styles] == [None, None, None, True, None]


def test_what_is_searched_to_be_absent_is_not_marked() -> None:
    assert len(log_segments("abc", STYLES.__getitem__, parse_filter("!b"))) == 2


def _painted(file: Path, text: str, search: str, current: Style) -> list[tuple[str, Style | None]]:
    """The pieces of a highlighted line behind its gutter."""
    styles = {"": Style(), "error": Style(color="red", bold=True), "hit": Style(bold=True, underline=True)}
    named = {**styles, "current": current, "current-hit": Style(italic=True)}
    painter = LogPainter(named.__getitem__, lambda _: None)
    file.write_text(f"{text}\n")
    look = LogLook(LogFile(file))
    look.search = parse_pattern(search)
    painter.prepare(look, 40, 3, 0)
    (strip,) = painter.rows(0, 1, lambda _: True)
    return [(piece.text.rstrip(), piece.style) for piece in strip][1:]


def test_a_highlighted_line_without_grounds_is_one_bar_with_its_hit(tmp_path: Path) -> None:
    assert _painted(tmp_path / "log", "RuntimeError: x y", "x", Style(reverse=True))[:3] == [
        ("RuntimeError:", Style(reverse=True)),
        ("x", Style(italic=True)),
        (" y", Style(reverse=True)),
    ]


def test_a_highlighted_line_keeps_its_colours_on_a_ground(tmp_path: Path) -> None:
    ground = Style(bgcolor="blue")
    assert _painted(tmp_path / "log", "RuntimeError: x y", "x", ground)[0][1] == Style(
        color="red", bold=True, bgcolor="blue"
    )
