# SPDX-License-Identifier: Apache-2.0
"""core.runs.case_results: what a batch of op cases has written down, and what is left of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.base.files import read_bytes
from core.runs import CaseDocument, Outcome, case_progress, case_seconds, counts_text, read_case_results
from core.runs.case_results import cases_left
from core.runs.store import Finished, Queued, Started
from core.runs.store.events import Event
from core.runs.store.record import Presence, fold
from tests.core.runs.store.test_record import SPEC, SUPERVISOR

CASES = replace(SPEC, cases="m::a\nm::b\nm::c\nm::d")


def write(directory: Path, *lines: object, torn: str = "") -> None:
    directory.mkdir(exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (directory / "results.jsonl").write_text(text + torn)


def line(id: str, status: str, **more: object) -> dict[str, object]:
    return {"id": id, "status": status, "verdict": status, **more}


def test_torn_and_foreign_lines_are_passed_over(tmp_path: Path) -> None:
    assert read_case_results(tmp_path) == ()
    write(tmp_path, line("m::a", "pass"), [1], {"id": 3, "status": "pass"}, torn='{"id": "m::b", "sta')
    assert [one["id"] for one in read_case_results(tmp_path)] == ["m::a"]
    write(tmp_path, line("m::a", "pass"), line("m::b", "fail"))
    assert len(read_case_results(tmp_path)) == 2, "what has grown is read again"


def test_progress_reads_results_only_when_there_are_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Screens ask for it with every frame, also of batches of thousands of cases."""
    reads: list[object] = []

    def read(*words: Any) -> bytes:
        reads.append(words)
        return read_bytes(*words)

    monkeypatch.setattr("core.runs.case_results.read_bytes", read)
    events: list[Event] = [Queued(0.0, "here", "boot"), Started(10.0, SUPERVISOR, ())]
    going = fold(CASES, tmp_path, events, Presence(watched=True))
    for some in ((), (line("m::a", "pass"),), (line("m::a", "pass"), line("m::b", "fail"))):
        write(going.directory, *some)
        found = [case_progress(going, 20.0) for _ in range(3)]
        assert [one and one.done for one in found] == [len(some)] * 3
    assert len(reads) == 3


def test_what_has_to_be_looked_at_comes_first() -> None:
    found = [line("a", "pass"), line("b", "fail"), line("c", "pass"), line("d", "error(ref)")]
    assert counts_text(found) == "1 error(ref), 1 fail, 2 pass"


def test_seconds_are_those_of_all_parts_that_there_were() -> None:
    assert case_seconds({"seconds": {"build": 0.5, "eager": 0.25, "compile": None, "run": 1}}) == 1.75
    assert case_seconds({"seconds": "long"}) == 0.0


@pytest.mark.parametrize(
    ("failures", "undone", "left"),
    [(False, False, "abcd"), (True, False, "bc"), (False, True, "d"), (True, True, "bcd")],
)
def test_what_is_left(failures: bool, undone: bool, left: str) -> None:
    found: list[CaseDocument] = [
        line("m::a", "pass"),
        line("m::b", "crash"),
        {"id": "m::c", "status": "dup", "verdict": "fail"},
    ]
    assert cases_left(CASES, found, failures=failures, undone=undone) == [f"m::{name}" for name in left]


def test_progress_is_measured_by_what_was_done(tmp_path: Path) -> None:
    spec = replace(CASES, estimate=100.0)
    events: list[Event] = [Queued(0.0, "here", "boot"), Started(10.0, SUPERVISOR, ())]
    going = fold(spec, tmp_path, events, Presence(watched=True))
    before = case_progress(going, 20.0)
    assert before and (before.done, before.total, before.seconds) == (0, 4, 100.0)
    write(tmp_path / spec.run_id, line("m::a", "pass"))
    after = case_progress(going, 30.0)
    assert after and after.text == "1 of 4, about 60 s left"
    ended = case_progress(fold(spec, tmp_path, [*events, Finished(40.0, Outcome.CANCELLED)]), 50.0)
    assert ended and ended.text == "1 of 4"
    assert case_progress(fold(SPEC, tmp_path, events), 1.0) is None
