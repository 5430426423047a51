# SPDX-License-Identifier: Apache-2.0
"""core.evidence.store: a truncated report and the whole one are one file, whichever comes first."""

from itertools import permutations
from pathlib import Path

import pytest

from core.evidence import Added, Observation
from core.evidence.reports import JUnitReport
from core.evidence.store import EvidenceStore
from tests.support.evidence import report, seen

ROWS = [seen(test_id=f"a/pytorch-{at}-single_device-inference", when=5.0, host="f10") for at in range(3)]


@pytest.fixture
def store(tmp_path: Path) -> EvidenceStore:
    return EvidenceStore(tmp_path / "x.sqlite")


def cut(rows: list[Observation], digest: str) -> JUnitReport:
    return report(*rows, digest=digest, cut="no element found")


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_nothing_counts_twice(store: EvidenceStore, order: tuple[int, ...]) -> None:
    reports = [cut(ROWS[:1], "one"), cut(ROWS[:2], "two"), report(*ROWS, digest="whole")]
    for at in order:
        store.add([reports[at]])
    assert sorted(one.test_id for one in store.observations()) == [one.test_id for one in ROWS]
    assert [one.digest for one in store.reports()] == ["whole"]
    assert store.add(reports) == Added(0, 3)


def test_another_session_is_another_file(store: EvidenceStore) -> None:
    other = [seen(test_id=one.test_id, when=6.0, host="f10") for one in ROWS]
    elsewhere = [seen(test_id=one.test_id, when=5.0, host="f11") for one in ROWS]
    store.add([cut(ROWS[:2], "two"), report(*other, digest="other"), report(*elsewhere, digest="elsewhere")])
    assert len(store.observations()) == 8


def test_without_a_time_the_file_must_be_the_same(store: EvidenceStore) -> None:
    rows = [seen(test_id=one.test_id, host="", source="/a.xml") for one in ROWS]
    others = [seen(test_id=one.test_id, host="", source="/b.xml") for one in ROWS]
    store.add([cut(rows[:2], "two"), report(*others, digest="others")])
    assert len(store.observations()) == 5
    store.add([report(*rows, digest="whole")])
    assert len(store.observations()) == 6
