# SPDX-License-Identifier: Apache-2.0
"""core.runs.log.growth: a log keeps to its limit, and for every byte the time is known at which it existed."""

import ctypes
import os
import re
import threading
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.runs import Outcome
from core.runs.execution import wait
from core.runs.execution.launch import launch
from core.runs.log import ArrivalNotes, Arrivals, LogFile, LogLimit
from core.runs.store import RunStore
from tests.core.runs.conftest import MakeSpec, Until

LIMIT = 80_000
NOTE = re.compile(r"^\.\.\. ttmatrix left out ([\d,]+) bytes here: the log is over its limit of 80,000 bytes \.+$")


def write(log: Path, first: int, last: int) -> int:
    """Append numbered lines; returns how many bytes they take."""
    text = "".join(f"line {number:06d}\n" for number in range(first, last))
    with log.open("a") as handle:
        handle.write(text)
    return len(text)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "output.log"


def test_below_the_limit_nothing_happens(log: Path) -> None:
    assert LogLimit(log, LIMIT).enforce() is False
    write(log, 0, 1000)
    before = log.read_bytes()
    assert LogLimit(log, LIMIT).enforce() is LogLimit(log, 0).enforce() is False
    assert log.read_bytes() == before


def test_whole_lines_of_both_ends_stay_and_the_gap_is_reported_in_all(log: Path, way: str) -> None:
    limit, written, last = LogLimit(log, LIMIT), 0, 0
    for last in range(10_000, 60_000, 10_000):
        written += write(log, last - 10_000, last)
        assert limit.enforce() is True
        assert log.stat().st_size <= LIMIT
        lines = log.read_text().splitlines()
        (at,) = [number for number, line in enumerate(lines) if NOTE.match(line)]
        head, tail = lines[: at - 1], lines[at + 1 :]
        assert head == [f"line {number:06d}" for number in range(len(head))]
        assert tail == [f"line {number:06d}" for number in range(last - len(tail), last)]
        assert len("\n".join(head)) >= LIMIT // 8 - 1
        assert len("\n".join(tail)) >= LIMIT // 2 - 20
        told = NOTE.match(lines[at])
        assert told
        assert int(told[1].replace(",", "")) == written - 12 * (len(head) + len(tail))


def test_a_log_without_lines_is_cut_all_the_same(log: Path, way: str) -> None:
    log.write_bytes(b"a" * 100_000 + b"b" * 400_000 + b"c")
    assert LogLimit(log, LIMIT).enforce()
    data = log.read_bytes()
    assert (data[:10_000], data[-1:]) == (b"a" * 10_000, b"c")
    assert len(data) <= LIMIT


class NoLibc:
    """A C library that takes nothing out of files."""


@pytest.fixture(params=["taken out", "copied over"])
def way(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """How the middle of a log goes away."""
    way = str(request.param)
    if way == "copied over":
        monkeypatch.setattr("core.runs.log.growth.ctypes.CDLL", lambda _: NoLibc())
    elif not takes_out(tmp_path / "probe"):
        pytest.skip("this file system takes nothing out of files")
    return way


def takes_out(file: Path) -> bool:
    file.write_bytes(b"x" * 1_000_000)
    with file.open("r+b") as handle:
        size = ctypes.c_int64(0x10000)
        done: int = ctypes.CDLL(None).fallocate64(handle.fileno(), 0x08, size, size)
    return done == 0


def test_who_appends_meanwhile_goes_on_at_the_end(log: Path, way: str) -> None:
    """No line is torn; none is missing at the end, if the file system can do that."""
    limit, over = LogLimit(log, LIMIT), threading.Event()

    def append() -> None:
        with log.open("ab", buffering=0) as handle:
            for number in range(100_000):
                handle.write(b"line %06d\n" % number)
        over.set()

    writer = threading.Thread(target=append)
    writer.start()
    while not over.is_set():
        limit.enforce()
    writer.join()
    write(log, 100_000, 110_000)
    assert limit.enforce()
    assert log.stat().st_size <= LIMIT
    lines = log.read_text().splitlines()
    (at,) = [number for number, line in enumerate(lines) if NOTE.match(line)]
    head, tail = ([int(line.removeprefix("line ")) for line in part] for part in (lines[: at - 1], lines[at + 1 :]))
    assert head == [*range(len(head))]
    assert tail == [*range(110_000 - len(tail), 110_000)]
    note = NOTE.match(lines[at])
    assert note
    left_out = 110_000 - len(head) - len(tail)
    if way == "taken out":
        assert int(note[1].replace(",", "")) == 12 * left_out
    else:
        assert 0 < int(note[1].replace(",", "")) <= 12 * left_out


def test_a_limit_of_a_few_blocks_is_enforced_once_there_is_a_middle(log: Path, way: str) -> None:
    limit = LogLimit(log, 1000)
    write(log, 0, 400)
    assert limit.enforce() is False
    write(log, 400, 10_000)
    assert limit.enforce() is True
    lines = log.read_text().splitlines()
    assert (lines[0], lines[-1]) == ("line 000000", "line 009999")
    assert len(lines) < 1000


def test_a_look_that_interrupts_another_does_nothing(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limit, inner, real = LogLimit(log, LIMIT), list[bool](), os.pwrite
    write(log, 0, 10_000)

    def pwrite(descriptor: int, data: bytes, offset: int) -> int:
        inner.append(limit.enforce())
        return real(descriptor, data, offset)

    monkeypatch.setattr("os.pwrite", pwrite)
    assert limit.enforce() is True
    assert set(inner) == {False}
    write(log, 0, 10_000)
    monkeypatch.setattr("os.pwrite", lambda *_: (_ for _ in ()).throw(OSError()))
    assert limit.enforce() is False


def test_a_reader_finds_the_lines_where_they_are_now(log: Path) -> None:
    write(log, 0, 10_000)
    reader = LogFile(log)
    while reader.poll():
        pass
    assert LogLimit(log, LIMIT).enforce()
    while reader.poll():
        pass
    assert reader.lines(reader.line_count - 1, 1) == ["line 009999"]
    assert reader.generation == 1


def test_times_of_what_was_moved_are_not_known(tmp_path: Path) -> None:
    notes = tmp_path / "arrivals.txt"
    notes.write_text("1.00 100\n2.00 200\n")
    arrivals = Arrivals(notes)
    arrivals.poll()
    assert arrivals.at([50, 150]) == [1.0, 2.0]
    with notes.open("a") as handle:
        handle.write("3.00 120\n4.00 180\n")
    arrivals.poll()
    assert arrivals.at([50, 150, 190]) == [3.0, 4.0, None]


@pytest.mark.slow("runs print millions of lines")
@pytest.mark.parametrize("limit", [0, 1_000_000])
def test_a_run_that_prints_without_end_keeps_its_limit_and_its_result(
    store: RunStore, make_spec: MakeSpec, limit: int
) -> None:
    code = "for number in range(150_000): print('line', number)\nprint('last words')\nreport()"
    spec = make_spec(code, log_limit=limit)
    launch(store, spec)
    (record,) = wait(store, [spec.run_id])
    assert record.outcome is Outcome.PASS
    text = record.log.read_text()
    assert text.startswith("line 0\nline 1\n")
    assert "last words\n" in text[-1000:]
    assert (len(text) <= 1_000_000, "ttmatrix left out" in text) == (limit > 0, limit > 0)


@given(st.lists(st.integers(0, 50), max_size=20))
def test_a_byte_arrived_with_the_first_note_of_a_log_that_holds_it(growths: list[int]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        log, file = Path(scratch) / "log", Path(scratch) / "notes"
        notes, arrived = ArrivalNotes(log, file), list[float]()
        read = Arrivals(file)
        for moment, growth in enumerate(growths):
            with log.open("ab") as out:
                out.write(b"x" * growth)
            notes.note(float(moment))
            arrived += [float(moment)] * growth
            read.poll()
        assert read.at(range(len(arrived))) == arrived
        assert read.at([len(arrived)]) == [None]
        fresh = Arrivals(file)
        fresh.poll()
        assert fresh.at(range(len(arrived))) == arrived


def test_nothing_is_raised_where_nothing_can_be_noted_or_read(tmp_path: Path) -> None:
    ArrivalNotes(tmp_path / "log", tmp_path / "notes").note(1.0)
    (tmp_path / "log").write_text("x")
    ArrivalNotes(tmp_path / "log", tmp_path / "no" / "notes").note(1.0)
    arrivals = Arrivals(tmp_path / "notes")
    assert not arrivals.poll()
    (tmp_path / "notes").write_text("odd\n1.0 x\n2.0 1\n3.0")
    assert arrivals.poll()
    assert arrivals.at([0, 1]) == [2.0, None]


@pytest.mark.slow("waits for lines")
def test_the_lines_of_a_run_have_the_times_at_which_they_came(
    store: RunStore, make_spec: MakeSpec, until: Until, tmp_path: Path
) -> None:
    # A line is printed once the time of the line before it is known.
    code = f"""
import pathlib, time
for number in range(3):
    print(number, time.time(), flush=True)
    while not pathlib.Path({str(tmp_path)!r}, f"seen-{{number}}").exists(): time.sleep(0.01)
report()"""
    spec = make_spec(code)
    launch(store, spec)
    record = store.record(spec.run_id)
    log, arrivals = LogFile(record.log), Arrivals(record.arrivals)

    def time_of(number: int) -> float | None:
        log.poll()
        arrivals.poll()
        return arrivals.at(log.positions([number]))[0] if log.line_count > number else None

    for number in range(3):
        until(lambda number=number: time_of(number) is not None)  # type: ignore[misc]
        (tmp_path / f"seen-{number}").touch()
    wait(store, [spec.run_id])
    for number in range(3):
        assert (came := time_of(number)) is not None
        # The notes have hundredths of a second.
        assert float(log.lines(number, number + 1)[0].split()[1]) - 0.1 < came
        if number < 2:
            assert came < float(log.lines(number + 1, number + 2)[0].split()[1]) + 0.1
