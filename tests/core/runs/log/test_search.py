# SPDX-License-Identifier: Apache-2.0
"""core.runs.log.search: finds the same lines as a search line by line, however the log grew."""

import tempfile
from pathlib import Path

from hypothesis import given, strategies as st

from core.runs.log import LogFile, parse_filter, parse_pattern
from core.runs.log.search import SLICE, Hit, LineScan


def scanned(log: LogFile, *stack: str) -> LineScan:
    scan = LineScan(log, [parse_filter(text).holds for text in stack])
    finish(log, scan)
    return scan


def finish(log: LogFile, scan: LineScan) -> None:
    while log.poll():
        pass
    while scan.step():
        pass


pieces = st.binary(max_size=8) | st.sampled_from([b"ab", b"\n", b"\r", b"\r\n", b"\x1b[31m", b"\x1b]0;t\x07", b"a\n"])


@given(st.lists(st.lists(pieces, max_size=12).map(b"".join), max_size=4), st.sampled_from(["ab", "!ab", "re:^a", "A"]))
def test_a_log_that_grows_is_scanned_as_if_it_had_always_been_there(parts: list[bytes], text: str) -> None:
    holds = parse_filter(text).holds
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "log"
        log = LogFile(file)
        scan = LineScan(log, [holds])
        with file.open("wb", buffering=0) as out:
            for part in parts:
                out.write(part)
                finish(log, scan)
        shown = log.lines(0, 10_000)
        assert list(scan.found) == [number for number, line in enumerate(shown) if holds(line)]
        ended = b"".join(parts).count(b"\n")
        assert (scan.line_count, scan.passed) == (ended, [sum(map(holds, shown[:ended]))])


def test_a_stack_narrows_and_counts(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(
        "".join(f"{number} {'even' if number % 2 == 0 else 'odd'}\n" for number in range(100))
    )
    scan = scanned(LogFile(tmp_path / "log"), "even", "!1")
    assert scan.passed == [50, 45]
    assert list(scan.found)[:5] == [0, 2, 4, 6, 8]
    assert 10 not in scan.found


def test_a_line_longer_than_a_slice_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"a\nbegin" + b"x" * 5 * SLICE + b"far\nfar\n" + b"y" * SLICE + b"z\nlast far")
    scan = scanned(LogFile(tmp_path / "log"), "far")
    assert list(scan.found) == [2, 4]
    assert scanned(LogFile(tmp_path / "log"), "re:begin|last").found.tolist() == [1, 4]


def test_a_file_that_took_the_place_of_another_is_looked_through_anew(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("x\nx\nx\n")
    log = LogFile(tmp_path / "log")
    scan = scanned(log, "x")
    (tmp_path / "log").write_text("y\nx\n")
    finish(log, scan)
    assert list(scan.found) == [1]


def test_seeking_goes_round_the_ends_and_waits_for_what_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("x\ny\nx\n" + "y\n" * SLICE + "x\n")
    log = LogFile(tmp_path / "log")
    while log.poll():
        pass
    scan = LineScan(log, [parse_pattern("x").holds])
    last = SLICE + 3
    scan.step()
    assert scan.seek(-1, forward=True) == Hit(0)
    assert scan.seek(0, forward=True) == Hit(2)
    assert scan.seek(2, forward=True) == Hit(None, waiting=True)
    assert scan.seek(2, forward=False) == Hit(0)
    assert scan.seek(last, forward=False) == Hit(None, waiting=True)
    assert scan.seek(0, forward=False) == Hit(None, waiting=True)
    finish(log, scan)
    assert scan.seek(2, forward=True) == Hit(last)
    assert scan.seek(last, forward=True) == Hit(0, wrapped=True)
    assert scan.seek(last, forward=False) == Hit(2)
    assert scan.seek(0, forward=False) == Hit(last, wrapped=True)
    assert scanned(log, "nothing").seek(0, forward=True) == Hit(None)
