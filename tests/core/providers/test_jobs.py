# SPDX-License-Identifier: Apache-2.0
"""Selections of jobs are cached, and evaluated again as soon as anything changes that they depend on."""

from collections.abc import Callable
from pathlib import Path

import pytest

import core.ci.read
from core.ci import Selected, groups, read_selector
from core.matrix import Universe, index
from core.matrix.cache import Cache
from core.providers import Selections, model_infos, selected_jobs, selections
from core.sources import Checkout
from core.sources.ci import CONFTEST, read_jobs
from tests.support.sample import sample_checkout

TEST = "patch_vit/pytorch-Small_Patch8-single_device-training"


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    # Fresh files are distrusted for two seconds; the tests do not wait for that.
    monkeypatch.setattr("core.sources.stamps._RACY_NS", -(10**18))
    return sample_checkout(tmp_path / "tt-xla")


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One item for each time that jobs were evaluated."""
    times: list[int] = []
    evaluate = core.ci.read.selected

    def count(ci: core.ci.read.Ci) -> Selected:
        times.append(1)
        return evaluate(ci)

    monkeypatch.setattr("core.providers.jobs.selected", count)
    return times


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def _change_entry(checkout: Checkout) -> None:
    path = checkout.test_config / "torch" / "test_config_training_single_device.yaml"
    _replace(path, f"  {TEST}:\n    status: ", f"  {TEST}:\n    markers: [push]\n    status: ")


def _change_preset(checkout: Checkout) -> None:
    _replace(checkout.presets / "model-test-push.json", "expected_passing and push", "expected_passing")


def _change_schedule(checkout: Checkout) -> None:
    (checkout.presets.parent / "nightly.yml").write_text(
        "on:\n  schedule:\n  - cron: '0 0 * * *'\njobs:\n  one:\n    with:\n      test_suite: model-test-xfail.json\n"
    )


def _change_conftest(checkout: Checkout) -> None:
    (checkout.root / CONFTEST).write_text("_LB_BLACKHOLE_SKIP_MODELS = {'patch_vit'}\n")


def _change_group(checkout: Checkout) -> None:
    _replace(checkout.models / "patch_vit" / "pytorch" / "loader.py", "ModelGroup.", "ModelGroup.VULCAN or ModelGroup.")


def test_the_second_answer_is_the_stored_one(checkout: Checkout, tmp_path: Path, evaluated: list[int]) -> None:
    cache, matrix = Cache(checkout, tmp_path / "cache"), index(checkout)
    first, second = selected_jobs(cache, matrix), selected_jobs(cache, index(checkout))
    assert len(evaluated) == 1
    assert (first.jobs, first.names, first.sets) == (second.jobs, second.names, second.sets)
    assert list(first.codes) == list(second.codes)
    assert second.of(matrix.rows[TEST])


@pytest.mark.parametrize("change", [_change_entry, _change_preset, _change_schedule, _change_conftest, _change_group])
def test_whatever_decides_makes_it_new(
    checkout: Checkout, tmp_path: Path, evaluated: list[int], change: Callable[[Checkout], None]
) -> None:
    cache = Cache(checkout, tmp_path / "cache")
    selected_jobs(cache, index(checkout))
    change(checkout)
    matrix = index(checkout)
    again = selected_jobs(cache, matrix)
    assert len(evaluated) == 2
    fresh = selected_jobs(Cache(checkout, tmp_path / "other"), matrix)
    assert [again.of(row) for row in range(len(matrix.ids))] == [fresh.of(row) for row in range(len(matrix.ids))]


def test_selections_are_those_of_each_test_alone(checkout: Checkout, tmp_path: Path) -> None:
    cache = Cache(checkout, tmp_path / "index")
    matrix = index(checkout, Universe.COLLECTED)
    infos = model_infos(cache, matrix)
    found = selections(cache, matrix, infos)
    selector, _ = read_selector(matrix, groups(infos.known))
    jobs, _ = read_jobs(checkout)
    assert found.jobs == jobs
    assert len(found.by_id) > 100
    for id in matrix.ids:
        assert list(found.by_id.get(id, ())) == selector.selections(jobs, id), id
    assert list(found.by_id) == [id for id in matrix.ids if id in found.by_id]


@pytest.mark.parametrize("change", [_change_preset, _change_schedule])
def test_selections_are_cached_until_something_that_decides_them_changes(
    checkout: Checkout, tmp_path: Path, change: Callable[[Checkout], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(checkout, tmp_path / "index")

    def read() -> Selections:
        matrix = index(checkout, Universe.COLLECTED)
        return selections(cache, matrix, model_infos(cache, matrix))

    first = read()
    with monkeypatch.context() as broken:
        broken.setattr("core.providers.jobs.read_selector", None)
        assert read() == first
    change(checkout)
    assert read() != first


def test_each_universe_has_its_own_cached_index(checkout: Checkout, tmp_path: Path) -> None:
    cache = Cache(checkout, tmp_path / "index")
    for universe in Universe:
        fresh, reading = cache.index(universe)
        assert reading is not None
        cache.save(reading, universe)
        again, nothing = cache.index(universe)
        assert nothing is None
        assert again.ids == fresh.ids == index(checkout, universe).ids
        assert (again.findings, again.loaders) == (fresh.findings, fresh.loaders)
