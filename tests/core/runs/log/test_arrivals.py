# SPDX-License-Identifier: Apache-2.0
"""core.runs.log.growth: every byte of a log has the first time at which the log was known to hold it."""

from pathlib import Path

from hypothesis import given, strategies as st

from core.runs.execution.launch import launch, wait
from core.runs.log.growth import ArrivalNotes, Arrivals
from core.runs.log.tail import LogFile
from core.runs.store.store import RunStore
from tests.core.runs.conftest import MakeSpec


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


def test_the_lines_of_a_run_have_the_times_at_which_they_came(store: RunStore, make_spec: MakeSpec) -> None:
    code = "import time\nfor n in range(4): print(n, time.time(), flush=True); time.sleep(0.9)\nreport()"
    spec = make_spec(code)
    launch(store, spec)
    (record,) = wait(store, [spec.run_id])
    log, arrivals = LogFile(record.log), Arrivals(record.arrivals)
    assert not log.poll()
    arrivals.poll()
    times = arrivals.at(log.positions(range(log.line_count)))
    for line, time in zip(log.lines(0, 4), times, strict=False):
        assert time is not None
        assert -0.1 < time - float(line.split()[1]) < 3
    assert len(set(times)) > 1
