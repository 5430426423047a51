# SPDX-License-Identifier: Apache-2.0
"""Logs of jobs: the end of each, fetched once, in pieces that can be followed, and from where it was cut off."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.locks import LockHeld, locked
from core.evidence import CiJob
from core.evidence.github import (
    Expired,
    LogPart,
    Transport,
    fetch_log,
    is_whole,
    line_of_error,
    line_of_test,
    log_file,
    read_lines,
)
from tests.support.github_server import TOKEN, Answer, GitHub, reached

hub = pytest.fixture(reached)
JOB = CiJob(7, 1, 1, "a job", "completed", "failure", url="https://github.com/team/tt-xla/actions/runs/1/job/7")


def _fetch(file: Path, say: Callable[[LogPart], None] = lambda part: None) -> LogPart:
    return fetch_log(Transport(TOKEN), JOB, file, say)


def _stamped(count: int) -> bytes:
    return b"".join(b"2026-11-24T01:00:00.0000000Z line %d\n" % at for at in range(count))


def _is_asked(hub: GitHub) -> int:
    return sum(host == "blobs" for host, _, _ in hub.asked)


def test_a_log_is_stored_without_times_and_fetched_once(hub: GitHub, tmp_path: Path) -> None:
    file = log_file(tmp_path / "e.sqlite", JOB)
    assert file.parent.name == "e-github-team+tt-xla-logs"
    hub.logs[7] = "\ufeff2026-11-24T01:00:00.0Z \x1b[31mred\x1b[0m \xe9\r\n".encode() + b"plain \xff, no end"
    for _ in range(2):
        _fetch(file)
    assert _is_asked(hub) == 1 and is_whole(file)
    assert read_lines(file) == ["red \xe9", "plain \ufffd, no end"]
    assert b"\x1b[31mred" in file.read_bytes(), "the app shows its colours"


def test_it_grows_while_it_is_fetched(hub: GitHub, tmp_path: Path) -> None:
    hub.logs[7] = _stamped(60_000)
    file, sizes = tmp_path / "7.log", list[tuple[int, bool]]()
    part = _fetch(file, lambda part: sizes.append((file.stat().st_size, is_whole(file))))
    assert len(sizes) > 3 and sizes == sorted(sizes)
    assert not sizes[0][1] and sizes[-1][1]
    assert part.done == part.wanted == len(hub.logs[7])
    assert read_lines(file) == [f"line {at}" for at in range(60_000)]


@pytest.mark.parametrize("ranges", [True, False])
def test_of_a_large_log_the_end_is_fetched(
    hub: GitHub, tmp_path: Path, ranges: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.evidence.github.logs.LOG_BYTES", 10_000)
    hub.logs[7], hub.ranges = _stamped(5_000), ranges
    file = tmp_path / "7.log"
    part = _fetch(file)
    lines = read_lines(file)
    size = len(hub.logs[7])
    assert lines[0] == f"[the last 10,000 of {size:,} bytes of this log]"
    assert lines[1:] == [f"line {at}" for at in range(5_000 - len(lines) + 1, 5_000)]
    assert (part.begin, part.total) == (size - 10_000, size)
    assert hub.begun == ([str(size - 10_000)] if ranges else [])


@pytest.mark.parametrize("ranges", [True, False])
def test_a_connection_that_breaks_goes_on_where_it_was(hub: GitHub, tmp_path: Path, ranges: bool) -> None:
    hub.logs[7], hub.ranges = _stamped(30_000), ranges
    hub.faults["blobs:"] = [Answer(body=hub.logs[7], cut=600_000)]
    file = tmp_path / "7.log"
    _fetch(file)
    assert read_lines(file) == [f"line {at}" for at in range(30_000)]
    if ranges:
        assert int(hub.begun[0]) > 500_000, "nothing is read twice but the line that was cut"


def test_what_was_interrupted_is_resumed_by_the_next_call(hub: GitHub, tmp_path: Path) -> None:
    hub.logs[7] = _stamped(30_000)
    file = tmp_path / "7.log"

    def stop(part: LogPart) -> None:
        if part.done > 400_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _fetch(file, stop)
    assert not is_whole(file) and 0 < len(read_lines(file)) < 30_000
    _fetch(file)
    assert read_lines(file) == [f"line {at}" for at in range(30_000)]
    assert int(hub.begun[0]) > 400_000


def test_a_part_of_another_log_is_thrown_away(hub: GitHub, tmp_path: Path) -> None:
    hub.logs[7] = _stamped(5)
    file = tmp_path / "7.log"
    file.write_text("something else\n" * 40)
    file.with_suffix(".part").write_text("[0, 300, 900, 600]")
    _fetch(file)
    assert read_lines(file) == [f"line {at}" for at in range(5)]


def test_a_log_that_is_not_there_leaves_nothing(hub: GitHub, tmp_path: Path) -> None:
    with pytest.raises(Expired):
        _fetch(tmp_path / "7.log")
    assert not list(tmp_path.glob("*.log")) and not list(tmp_path.glob("*.part"))


def test_two_do_not_fetch_one_log(hub: GitHub, tmp_path: Path) -> None:
    hub.logs[7] = b"one\n"
    with locked(tmp_path / "7.lock", "fetching a log", wait=0), pytest.raises(LockHeld):
        _fetch(tmp_path / "7.log")


def test_a_full_disk_is_said_and_not_tried_again(hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    hub.logs[7] = _stamped(10)
    monkeypatch.setattr("core.evidence.github.logs._Growing._add", full)
    with pytest.raises(TTMatrixError, match="cannot be stored") as raised:
        _fetch(tmp_path / "7.log")
    assert "No space left" in raised.value.detail and _is_asked(hub) == 1


def test_a_log_whose_size_nobody_says_is_bounded(hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.evidence.github.logs.LOG_BYTES", 10_000)
    monkeypatch.setattr("core.evidence.github.logs._AT_ONCE_BYTES", 2_000)
    monkeypatch.setattr("core.evidence.github.transport._CHUNK_BYTES", 2_000)
    monkeypatch.setattr("core.evidence.github.transport._span", lambda answer: (0, 0))
    hub.logs[7] = _stamped(5_000)
    file, largest = tmp_path / "7.log", 0

    def say(part: LogPart) -> None:
        nonlocal largest
        largest = max(largest, part.written)

    _fetch(file, say)
    lines = read_lines(file)
    assert lines[0] == "[the end of this log]" and lines[-1] == "line 4999" and largest < 25_000


def test_a_line_without_an_end_takes_no_memory(hub: GitHub, tmp_path: Path) -> None:
    hub.logs[7] = b"x" * 7_000_000
    tracemalloc.start()
    try:
        _fetch(tmp_path / "7.log")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000 and (tmp_path / "7.log").stat().st_size > 6_900_000


LINES = (
    "collected 2 items",
    "t.py::test_a[one]",
    "t.py::test_a[two]",
    "t.py::test_a[one] PASSED [ 50%]",
    "t.py::test_a[two] FAILED [100%]",
    "=== FAILURES ===",
    "_______ test_a[two] _______",
    "E   ValueError: boom",
    "FAILED t.py::test_a[two] - ValueError: boom",
)


@pytest.mark.parametrize(("id", "line"), [("two", 7), ("t.py::test_a[two]", 7), ("one", 4), ("t.py::test_b", 0)])
def test_where_to_read_about_a_test(id: str, line: int) -> None:
    assert line_of_test(LINES, id) == line


def test_where_to_read_about_the_error() -> None:
    assert line_of_error(LINES) == 8 and line_of_error([]) == 0
