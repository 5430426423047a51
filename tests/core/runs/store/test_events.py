# SPDX-License-Identifier: Apache-2.0
"""core.runs.store.events: lines are read back as written, and nothing stops the reader."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.checked_numbers import LAST_MOMENT, LONGEST
from core.base.errors import TTMatrixError
from core.base.processes import ProcessIdentity
from core.runs import Outcome
from core.runs.store import Finished, Queued, Started, append_event, read_events
from core.runs.store.events import Event, parse_line, to_line

finite = st.floats(allow_nan=False, allow_infinity=False)
moments, durations = st.floats(0, LAST_MOMENT), st.floats(0, LONGEST)
processes = st.builds(ProcessIdentity, st.integers(1, 2**22), finite)
values = st.none() | st.booleans() | st.integers() | finite | st.text()
events: st.SearchStrategy[Event] = st.one_of(
    st.builds(Queued, moments, st.text(), st.text()),
    st.builds(Started, moments, processes, st.lists(st.text()).map(tuple)),
    st.builds(
        Finished,
        moments,
        st.sampled_from(Outcome),
        durations,
        st.none() | st.integers(0, 255),
        st.none() | st.integers(1, 64),
        st.none() | st.dictionaries(st.text(), values),
        st.text(),
        st.text(),
        st.booleans(),
        st.none() | durations,
    ),
)


@given(events)
def test_an_event_comes_back_from_its_line(event: Event) -> None:
    line = to_line(event)
    assert "\n" not in line
    assert parse_line(line) == event


@given(events, st.data())
def test_a_torn_line_is_no_event(event: Event, data: st.DataObject) -> None:
    line = to_line(event)
    assert parse_line(line[: data.draw(st.integers(0, len(line) - 1))]) is None


@given(
    st.text() | st.recursive(values, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)).map(json.dumps)
)
def test_any_other_line_is_no_event(line: str) -> None:
    assert parse_line(line) is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 2),
        ("event", "exploded"),
        ("event", ["started"]),
        ("at", "x"),
        ("at", 1e999),
        ("at", -1),
        ("at", 1e15),
        ("pid", None),
    ],
)
def test_an_event_of_another_version_or_kind_is_skipped(field: str, value: object) -> None:
    raw = json.loads(to_line(Started(1.0, ProcessIdentity(7, 2.0), ())))
    assert parse_line(json.dumps(raw)) is not None
    assert parse_line(json.dumps({**raw, field: value})) is None


def test_a_signal_that_there_is_none_of_is_none() -> None:
    raw = json.loads(to_line(Finished(1.0, Outcome.CRASH, 2.0, signal=11)))
    for signal, seconds in ((10**30, 1e999), ("x", -1.0)):
        found = parse_line(json.dumps({**raw, "signal": signal, "seconds": seconds}))
        assert found == Finished(1.0, Outcome.CRASH, 0.0)


def test_events_append_after_a_line_that_a_crash_tore(tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    first, last = Started(1.0, ProcessIdentity(7, 2.0), ()), Queued(3.0, "here", "boot")
    append_event(file, first)
    with file.open("ab") as handle:
        handle.write(b'{"version": 1, "event": "fini\xff')
    append_event(file, last)
    assert read_events(file) == [first, last]


def test_no_file_means_no_events_and_a_directory_is_an_error(tmp_path: Path) -> None:
    assert read_events(tmp_path / "absent") == []
    with pytest.raises(TTMatrixError, match="Cannot read"):
        read_events(tmp_path)
    with pytest.raises(TTMatrixError, match="Cannot record"):
        append_event(tmp_path, Queued(1.0, "here", "boot"))


def test_an_event_of_which_the_disk_takes_a_part_is_an_error_and_is_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, event, write = tmp_path / "events.jsonl", Queued(3.0, "here", "boot"), os.write
    monkeypatch.setattr("os.write", lambda descriptor, data: write(descriptor, data[:9]))
    with pytest.raises(TTMatrixError, match="No space left"):
        append_event(file, event)
    monkeypatch.setattr("os.write", write)
    append_event(file, event)
    assert read_events(file) == [event]
