# SPDX-License-Identifier: Apache-2.0
"""core.runs.log.tail: the lines of a file, found through a sparse index, are the lines of the file."""

import os
import resource
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.runs import plain_line
from core.runs.log import LogFile, last_line
from core.runs.log.tail import CHUNK, SLICE, LineIndex


def polled(path: Path) -> LogFile:
    log = LogFile(path)
    while log.poll():
        pass
    return log


@given(st.lists(st.tuples(st.integers(0, 3 * CHUNK), st.booleans()), max_size=8))
def test_the_index_counts_and_locates_every_line_end(parts: list[tuple[int, bool]]) -> None:
    data = b"".join(b"x" * length + (b"\n" if ended else b"") for length, ended in parts)
    index = LineIndex()
    while index.size < len(data):
        index.feed(data[index.size : index.size + index.room])
    ends = [position for position, byte in enumerate(data) if byte == 10]
    assert index.line_ends == len(ends)
    assert index.line_count == len(data.splitlines())
    for number, position in enumerate(ends, 1):
        chunk, nth = index.locate(number)
        within = [end for end in ends if end // CHUNK == chunk]
        assert within[nth] == position


def test_any_line_of_a_file_of_many_chunks_is_at_hand(tmp_path: Path) -> None:
    file = tmp_path / "log"
    expected = [f"{number} " + "y" * (number * 37 % 500) for number in range(5000)]
    file.write_text("\n".join(expected) + "\n")
    log = polled(file)
    assert file.stat().st_size > SLICE
    assert log.line_count == 5000
    assert log.lines(0, 5000) == expected
    assert [log.lines(number, 1) for number in (0, 1, 2500, 4999)] == [[expected[n]] for n in (0, 1, 2500, 4999)]
    assert log.lines(4998, 10) == expected[4998:]
    assert log.lines(5000, 1) == log.lines(-1, 5) == log.lines(3, 0) == []


def test_growth_is_seen_in_bounded_slices(tmp_path: Path) -> None:
    file = tmp_path / "log"
    log = LogFile(file)
    assert not log.poll()
    assert log.line_count == 0
    file.write_bytes(b"one\ntw")
    assert not log.poll()
    assert log.lines(0, 9) == ["one", "tw"]
    with file.open("ab") as handle:
        handle.write(b"o\n" + b"z\n" * SLICE)
    assert log.poll()
    assert log.poll()
    assert not log.poll()
    assert log.line_count == SLICE + 2
    assert log.lines(0, 3) == ["one", "two", "z"]


def test_a_truncated_or_replaced_file_is_read_anew(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"old one\nold two\n")
    log = polled(file)
    file.write_bytes(b"new\n")
    log.poll()
    assert log.lines(0, 9) == ["new"]
    (tmp_path / "other").write_bytes(b"quite another\n")
    (tmp_path / "other").rename(file)
    assert log.lines(0, 9) == []
    log.poll()
    assert log.lines(0, 9) == ["quite another"]
    file.unlink()
    log.poll()
    assert log.line_count == 0


def test_lines_are_safe_to_show(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"\x1b[31mred\x1b[0m\r\n 5%\r99%\r100%\nbad \xff\xfe\n\xe2\x80\xaeback\n")
    assert polled(file).lines(0, 9) == ["red", "100%", "bad ��", "�back"]


def test_a_huge_progress_bar_shows_its_last_state_and_a_huge_line_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"10%|...\r" * 100_000 + b"done\n" + b"begin" + b"x" * 300_000 + b"\nlast")
    bar, line, last = polled(file).lines(0, 9)
    assert (bar, last) == ("done", "last")
    assert line.startswith("[300,006 bytes, the beginning:] beginxx")
    assert len(line) == 4000


@given(st.binary(max_size=300))
def test_the_lines_are_those_of_the_bytes(data: bytes) -> None:
    # A file in memory: hypothesis runs this many times.
    descriptor = os.memfd_create("log")
    try:
        os.write(descriptor, data)
        parts = data.split(b"\n")
        expected = parts if parts[-1] else parts[:-1]
        log = polled(Path(f"/proc/self/fd/{descriptor}"))
        assert log.lines(0, 1000) == [plain_line(part.decode("utf-8", "replace")) for part in expected]
    finally:
        os.close(descriptor)


def test_a_large_file_costs_no_memory(tmp_path: Path) -> None:
    file = tmp_path / "log"
    with file.open("wb") as handle:
        handle.write(b"first\n")
        handle.truncate(2**28)  # Sparse: nothing of it is on the disk.
        handle.seek(0, os.SEEK_END)
        handle.write(b"\nlast\n")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    log = polled(file)
    assert log.line_count == 3
    assert log.lines(0, 1) + log.lines(2, 1) == ["first", "last"]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # KiB


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(TTMatrixError, match="Cannot read"):
        LogFile(tmp_path / "loop").poll()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            'bfloat16: FAILED RuntimeError: mat1 and mat2\n\nTTMATRIX-RESULT {"version": 1}\n\n',
            "bfloat16: FAILED RuntimeError: mat1 and mat2",
        ),
        ('TTMATRIX-RESULT {"version": 1}\n', ""),
        (
            "torch 2.9.0\n\n===== BFLOAT16 =====\ninputs:\n  image: bfloat16 [2, 3]\n  row: float32 [2]\n",
            "BFLOAT16 inputs: row: float32 [2]",
        ),
        ("===== FLOAT32 (dtype_override left out) =====\n  deep\n", "FLOAT32 deep"),
        # The lines of pytest are no phases.
        (
            "============ test session starts ============\ncollected 1 item\n    at line 3\n",
            "collected 1 item at line 3",
        ),
        ("  alone\n", "alone"),
    ],
)
def test_the_last_line_is_one_for_people_and_says_what_it_belongs_to(tmp_path: Path, text: str, words: str) -> None:
    log = tmp_path / "output.log"
    log.write_text(text)
    assert last_line(log) == words


def test_a_log_that_was_cut_and_has_grown_beyond_its_old_size_is_indexed_again(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("".join(f"line {number}\n" for number in range(2000)))
    log = polled(file)
    with file.open("r+") as handle:
        handle.truncate(0)
        handle.write("".join(f"other {number}\n" for number in range(3000)))
    while log.poll():
        pass
    assert log.generation == 1
    assert log.lines(0, 1) == ["other 0"]
    assert log.line_count == 3000
