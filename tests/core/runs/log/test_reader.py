# SPDX-License-Identifier: Apache-2.0
"""core.runs.log.reader: rows and numbers agree under filters, and a large log shows its end at once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from core.runs.log import LogFile, LogLimit, LogLook, Seek, parse_filter, parse_pattern
from core.runs.log.search import Hit
from core.runs.log.tail import SLICE

Looking = Callable[[str], LogLook]


@pytest.fixture
def looking(tmp_path: Path) -> Looking:
    def look_at(text: str) -> LogLook:
        (tmp_path / "log").write_text(text)
        return finished(LogLook(LogFile(tmp_path / "log")))

    return look_at


def finished(look: LogLook) -> LogLook:
    while look.step():
        pass
    return look


NUMBERS = "".join(f"{number} {'even' if number % 2 == 0 else 'odd'}\n" for number in range(100))


def test_without_filters_rows_are_lines(looking: Looking) -> None:
    look = looking(NUMBERS)
    assert look.line_count == 100
    assert look.texts(98, 5) == ["98 even", "99 odd"]
    assert (look.number_at(7), look.row_at(7), look.left) == (7, 7, [])


def test_filters_narrow_and_rows_lead_back_to_lines(looking: Looking) -> None:
    look = looking(NUMBERS)
    look.set_filters((parse_filter("even"), parse_filter("!1")))
    finished(look)
    assert look.left == [50, 45]
    assert look.texts(4, 3) == ["8 even", "20 even", "22 even"]
    assert [look.number_at(row) for row in (4, 5, 45)] == [8, 20, 100]
    assert [look.row_at(number) for number in (8, 9, 20, 99)] == [4, 5, 5, 45]
    look.set_filters(look.filters, filtering=False)
    assert (look.line_count, look.left) == (100, [])


def test_search_finds_only_what_is_visible(looking: Looking) -> None:
    look = looking(NUMBERS)
    look.set_filters((parse_filter("odd"),))
    look.set_search(parse_pattern("2"))
    assert look.seek(Seek.SEARCH, -1, forward=True).waiting
    finished(look)
    assert look.seek(Seek.SEARCH, -1, forward=True) == Hit(21)
    assert look.place(Seek.SEARCH, 21) == (1, 5, True)
    assert look.place(Seek.ERRORS, 21) == (0, 0, False)


def test_errors(looking: Looking) -> None:
    look = looking("fine\nValueError: x\nfine\nTT_FATAL: y\n")
    look.seek(Seek.ERRORS, -1, forward=True)
    finished(look)
    assert look.seek(Seek.ERRORS, 1, forward=True) == Hit(3)
    assert look.seek(Seek.ERRORS, 1, forward=False) == Hit(3, wrapped=True)


def test_a_large_log_shows_its_end_before_it_is_indexed(tmp_path: Path) -> None:
    file = tmp_path / "log"
    lines = [f"line {number} {'x' * 80}" for number in range(3 * SLICE // 80)]
    file.write_text("\n".join(lines) + "\n")
    look = LogLook(LogFile(file))
    assert look.opening
    assert look.texts(0, look.line_count) == lines[-look.line_count :]
    assert look.seek(Seek.ERRORS, 0, forward=True).waiting
    first, before = look.texts(0, 1), look.line_count
    while look.log.line_count < len(lines) or look.moved_by == 0:
        look.step()
    assert look.line_count == len(lines)
    assert look.texts(look.moved_by, 1) == first
    assert look.moved_by == len(lines) - before


def test_a_log_may_be_cut_while_it_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("".join(f"line {number:06d}\n" for number in range(400_000)))
    look = LogLook(LogFile(file))
    assert look.opening
    assert LogLimit(file, 1_000_000).enforce()
    assert finished(look).log.lines(look.log.line_count - 1, 1) == ["line 399999"]
