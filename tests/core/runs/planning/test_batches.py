# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.batches: what is left of a batch, taking its reruns into account."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.runs import Outcome
from core.runs.planning import newest_batch
from core.runs.planning.batches import failed, newest_results, not_run
from core.runs.store import Finished, RunRecord
from core.runs.store.record import fold
from tests.core.runs.store.test_record import SPEC


def run(batch: str, test: str, outcome: Outcome, parent: str = "") -> RunRecord:
    spec = replace(SPEC, test_id=test, batch=batch, parent=parent)
    return fold(spec, Path("/"), [Finished(1.0, outcome)])


RECORDS = [
    run("3", "b", Outcome.CANCELLED, "2"),
    run("2", "b", Outcome.FAIL, "1"),
    run("2", "c", Outcome.PASS, "1"),
    run("1", "a", Outcome.PASS),
    run("1", "b", Outcome.FAIL),
    run("1", "c", Outcome.CRASH),
    run("1", "d", Outcome.LOST),
    run("0", "e", Outcome.FAIL),
    run("", "f", Outcome.FAIL),
]


def left(batch: str) -> dict[str, str]:
    newest = newest_results(RECORDS, batch)
    return {
        key[0]: "failed" if failed(runs) else "not run" if not_run(runs) else "done" for key, runs in newest.items()
    }


def test_the_newest_run_of_each_test_counts_through_all_reruns() -> None:
    assert newest_batch(RECORDS) == "3"
    assert left("1") == {"a": "done", "b": "failed", "c": "failed", "d": "not run"}
    assert left("2") == {"a": "done", "b": "failed", "c": "done", "d": "not run"}
    assert left("3") == {"a": "done", "b": "not run", "c": "done", "d": "not run"}


def test_one_failure_among_repeats_is_a_failure_and_one_result_is_a_run() -> None:
    repeats = [run("1", "a", Outcome.PASS), run("1", "a", Outcome.HANG)]
    ((_, runs),) = newest_results(repeats, "1").items()
    assert failed(runs)
    assert not not_run([run("1", "a", Outcome.LOST), run("1", "a", Outcome.PASS)])


def test_a_circle_of_parents_ends() -> None:
    assert len(newest_results([run("1", "a", Outcome.PASS, "2"), run("2", "b", Outcome.PASS, "1")], "1")) == 2


def test_what_is_not_there_is_reported() -> None:
    with pytest.raises(UsageError, match="no batch"):
        newest_batch([run("", "a", Outcome.PASS)])
    with pytest.raises(UsageError, match="No batch 9"):
        newest_results(RECORDS, "9")
