# SPDX-License-Identifier: Apache-2.0
"""A result under another profile than the default is stored and shown, but does not affect verdicts."""

from pathlib import Path

import pytest

from core.evidence import Ending, Results
from core.evidence.observation import newest
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import Policy, Verdict, Verdicts
from core.matrix import index
from tests.support.evidence import TEST_ID, report, seen
from tests.support.tree import sample

FAILED = [seen(Ending.FAILED, when=float(day), run=f"bfp8-{day}", profile="bfp8", reason="no") for day in range(4, 9)]
PASSED = [seen(when=float(day), run=f"night-{day}") for day in range(1, 4)]


@pytest.fixture(params=["stored", "own"])
def results(request: pytest.FixtureRequest, tmp_path: Path) -> Results:
    both = [*PASSED, *FAILED]
    if request.param == "own":
        return Results(both)
    store = EvidenceStore(tmp_path / "evidence.db")
    store.add([report(one, digest=str(at), run=one.run) for at, one in enumerate(both)])
    return Results((), store)


def test_it_is_there_with_its_profile(results: Results) -> None:
    assert [one.profile for one in results.of_test(TEST_ID)] == [""] * 3 + ["bfp8"] * 5
    assert [one.profile for one in results.of_run("bfp8-8")] == ["bfp8"]


def test_it_decides_nothing(results: Results, tmp_path: Path) -> None:
    verdicts = Verdicts(index(sample(tmp_path / "checkout")), results, Policy())
    judged = {one.arch: one for one in verdicts.of(TEST_ID)}
    alone = Verdicts(verdicts.matrix, Results(PASSED), Policy())
    assert judged["n150"].verdict == {one.arch: one for one in alone.of(TEST_ID)}["n150"].verdict
    assert [one.run for one in results.newest()] == ["night-3"]
    assert [*newest(FAILED)] == []


def test_alone_it_is_no_evidence(tmp_path: Path) -> None:
    verdicts = Verdicts(index(sample(tmp_path / "checkout")), Results(FAILED), Policy())
    assert {one.verdict for one in verdicts.of(TEST_ID)} == {Verdict.UNKNOWN}
