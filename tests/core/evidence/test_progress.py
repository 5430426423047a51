# SPDX-License-Identifier: Apache-2.0
"""Reports over several periods from one reading: each equals the report of its own reading."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.checked_numbers import LAST_MOMENT
from core.base.settings import paths
from core.evidence import Ending, Results, evidence_store
from core.evidence.progress import By, ProgressReader
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import Policy, Verdicts
from core.matrix import index
from core.sources import ModelInfos
from tests.support.evidence import report, seen
from tests.support.planted import BAD_HOST, planted_checkout
from tests.support.tree import sample

NIGHTS = 60
NOW = time.time()


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], ProgressReader]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TTMATRIX_HOME", str(tmp_path_factory.mktemp("home")))
        checkout, made = planted_checkout(tmp_path_factory.mktemp("c") / "c", NIGHTS)
        store, matrix = evidence_store(checkout, paths()), index(checkout)
    # One run spans the beginning of a period, and one had no results of models.
    begun = [NOW - 20 * 86_400 + hours * 3_600 for hours in (-2, -1, 1, 2)]
    over = [seen(test_id="x", run="over", when=when) for when in begun]
    skipped = [seen(Ending.NOT_RUN, test_id="y", run="over", when=when) for when in begun]
    store.add([report(*over, *skipped, digest="o", run="over")])
    policy = Policy(ignored_hosts=(BAD_HOST,))
    assert made.nights == NIGHTS
    return lambda: ProgressReader(store, Verdicts(matrix, Results((), store), policy), lambda: ModelInfos({}, {}), None)


def test_every_period_and_split_is_as_if_read_by_itself(make: Callable[[], ProgressReader]) -> None:
    reader = make()
    for days in (90, 20, 7, 0.01):
        for by in (By.FAMILY, By.ARCH, By.GROUP, By.LOADER):
            assert reader.progress(now=NOW, days=days, by=by) == make().progress(now=NOW, days=days, by=by)
    (over,) = [run for run in reader.progress(now=NOW, days=20, by=By.ARCH).runs if run.run == "over"]
    assert (over.ran, over.not_run) == (2, 2)
    one = reader.progress(now=NOW, days=20, by=By.ARCH, arch="n150")
    assert [series.name for series in one.measured.archs] == ["n150"]


@pytest.mark.parametrize("ahead", [400 * 86_400.0, LAST_MOMENT - NOW], ids=("next year", "year 9999"))
def test_stored_results_of_a_wrong_clock_change_nothing(tmp_path: Path, ahead: float) -> None:
    matrix, store = index(sample(tmp_path / "c")), EvidenceStore(tmp_path / "x.sqlite")
    nights = [NOW - days * 86_400 for days in (9, 2, 1)]
    rows = [
        seen((Ending.PASSED, Ending.PASSED, Ending.FAILED)[at], when=when, run=f"n{at}")
        for at, when in enumerate(nights)
    ]
    store.add([report(row, digest=row.run, run=row.run) for row in rows])

    def found() -> tuple[object, ...]:
        verdicts = Verdicts(matrix, Results((), store), Policy())
        reader = ProgressReader(store, verdicts, lambda: ModelInfos({}, {}), None)
        one = reader.progress(now=NOW, days=30, by=By.ARCH)
        return one.measured, one.runs, verdicts.failed_on, verdicts.turned

    before = found()
    assert all(before)
    wrong = seen(when=NOW + ahead, run="wrong", test_id="alpha/pytorch-net-v1.5+aug-single_device-inference")
    silent = replace(wrong, ending=Ending.NOT_RUN)
    store.add([report(wrong, silent, digest="wrong", run="wrong")])
    assert found() == before


def test_the_store_is_read_again_for_a_longer_period_alone(
    make: Callable[[], ProgressReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    read, tracks = [], EvidenceStore.tracks

    def spy(self: EvidenceStore, functions: frozenset[str], since: float) -> object:
        read.append(round((NOW - since) / 86_400))
        return tracks(self, functions, since)  # type: ignore[arg-type]

    monkeypatch.setattr(EvidenceStore, "tracks", spy)
    reader = make()
    for days in (30, 90, 180, 30, 90, 180):
        for by in (By.FAMILY, By.ARCH):
            reader.progress(now=NOW, days=days, by=by)
    assert read == [30, 90, 180]
