# SPDX-License-Identifier: Apache-2.0
"""A field that a kind of row does not have is not empty there; one that it has is filled."""

import json
from pathlib import Path

import pytest

from core.base.errors import QueryError
from core.base.settings import Settings
from core.handwritten import read_known, with_handwritten
from core.matrix import Matrix, index, with_placeholder_rows
from core.matrix.cache import Cache
from core.matrix.query import FIELDS, Choice, Learned, Number, Query, select
from core.matrix.view import View
from core.ops import with_ops
from core.providers import compute_columns
from core.sources import Checkout
from tests.support.sample import sample_checkout

PRESET = ".github/workflows/test-matrix-presets/model-test-passing.json"
TESTS = """
import pytest


@pytest.mark.nightly
def test_nightly():
    pass


def test_never():
    pass
"""
NIGHTLY, NEVER = (f"tests/torch/ops/test_add.py::{name}" for name in ("test_nightly", "test_never"))
PANORAMA = "Panorama Segmenter"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    found = sample_checkout(tmp_path_factory.mktemp("rows") / "tt-xla")
    file = found.root / "tests/torch/ops/test_add.py"
    file.parent.mkdir(parents=True)
    file.write_text(TESTS)
    preset = found.root / PRESET
    jobs = json.loads(preset.read_text())
    own = {"runs-on": "n150", "name": "run_torch", "dir": "./tests/torch", "test-mark": "nightly"}
    preset.write_text(json.dumps([*jobs, own]))
    return found


@pytest.fixture(scope="module")
def cache(checkout: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Cache:
    return Cache(checkout, tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="module")
def matrix(checkout: Checkout, cache: Cache) -> Matrix:
    models = index(checkout)
    found = with_placeholder_rows(with_handwritten(cache, with_ops(cache, models, Settings().ops_dirs)))
    assert all(found.kinds[kind] for kind in ("model", "op", "handwritten", "placeholder"))
    return found


@pytest.fixture(scope="module")
def learned(cache: Cache, matrix: Matrix) -> Learned:
    return compute_columns(cache, matrix, ("models", "jobs", "runs"))


def _kinds(matrix: Matrix, learned: Learned, text: str, arch: str = "") -> dict[str, int]:
    """How many rows of each kind a query selects."""
    rows = select(matrix, Query.parse(text), arch, learned)
    counts = {kind: sum(row in among for row in rows) for kind, among in matrix.kinds.items()}
    return {kind: count for kind, count in counts.items() if count}


def _ids(matrix: Matrix, learned: Learned, text: str, arch: str = "") -> set[str]:
    return {matrix.ids[row] for row in select(matrix, Query.parse(text), arch, learned)}


def test_hand_written_tests_have_the_jobs_that_the_command_names(
    cache: Cache, matrix: Matrix, learned: Learned
) -> None:
    known = read_known(cache)
    assert known.jobs_of(NIGHTLY)
    assert not known.jobs_of(NEVER)
    assert _ids(matrix, learned, "kind:handwritten job:run_torch") == {NIGHTLY}
    assert _ids(matrix, learned, "kind:handwritten job:none") == {NEVER}
    assert _ids(matrix, learned, "kind:handwritten !job:none") == {NIGHTLY}
    assert _ids(matrix, learned, "kind:handwritten job:run_torch", "p150") == set()
    assert _ids(matrix, learned, "kind:handwritten job:none", "p150") == {NEVER, NIGHTLY}


def test_placeholders_have_group_name_and_jobs(matrix: Matrix, learned: Learned) -> None:
    planned = len(matrix.kinds["placeholder"])
    for text in ("group:red", "job:model-test-xfail", "!job:none", "!group:none"):
        assert _kinds(matrix, learned, f"is:placeholder {text}") == {"placeholder": planned}, text
    assert _ids(matrix, learned, "is:placeholder name:panorama_segmenter") == {PANORAMA}
    assert _kinds(matrix, learned, "is:placeholder job:none") == {}
    assert _kinds(matrix, learned, "is:placeholder group:none") == {}


def test_none_is_said_only_of_rows_that_have_the_field(matrix: Matrix, learned: Learned) -> None:
    for field in FIELDS:
        if isinstance(field, Choice | Number) and field.needs in ("", *learned):
            try:
                found = _kinds(matrix, learned, f"{field.name}:none")
            except QueryError:
                continue  # A field that is never empty.
            assert {*found} <= {*field.kinds}, field.name


def test_what_is_negated(matrix: Matrix, learned: Learned) -> None:
    every = len(matrix.ids)
    # Not selected by that job: also what has no jobs at all.
    chosen = len(_ids(matrix, learned, "job:run_forge_models"))
    assert len(_ids(matrix, learned, "!job:run_forge_models")) == every - chosen
    assert "op" in _kinds(matrix, learned, "!job:run_forge_models")
    # With a job: a row without the field has none.
    assert "op" not in _kinds(matrix, learned, "!job:none")
    assert "op" not in _kinds(matrix, learned, "job:none")
    assert "op" not in _kinds(matrix, learned, "!job:none,run_forge_models")
    assert _ids(matrix, learned, "!!job:none") == _ids(matrix, learned, "job:none")
    assert _ids(matrix, learned, "!(job:none or mode:training)") == _ids(matrix, learned, "!job:none !mode:training")
    assert _ids(matrix, learned, "!(job:none mode:training)") == _ids(matrix, learned, "!job:none or !mode:training")


def test_facets_count_rows_that_have_the_field(matrix: Matrix, learned: Learned) -> None:
    view = View(matrix)
    view.learn(learned)
    for facet in view.facets():
        field = next(one for one in FIELDS if one.name == facet.field)
        having = sum(len(rows) for kind, rows in matrix.kinds.items() if kind in getattr(field, "kinds", ()))
        none = {one.value: one.count for one in facet.values}.get("none", 0)
        assert none == len(_ids(matrix, learned, f"{facet.field}:none") if none else ()), facet.field
        assert none <= having, facet.field
    (jobs,) = view.facets(["job"])
    models = {one.value: one.count for one in jobs.values}
    assert models["none"] == len(_ids(matrix, learned, "job:none"))
    assert any("run_torch" in text and count == 1 for text, count in models.items())


def test_jobs_of_other_rows_are_read_again_when_a_preset_changes(
    checkout: Checkout, cache: Cache, matrix: Matrix, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.sources.stamps._RACY_NS", -(10**18))
    file: Path = checkout.root / PRESET
    text = file.read_text()
    try:
        compute_columns(cache, matrix, ("jobs",))
        file.write_text(text.replace("run_torch", "run_others"))
        learned = compute_columns(cache, matrix, ("jobs",))
        assert _ids(matrix, learned, "kind:handwritten job:run_others") == {NIGHTLY}
    finally:
        file.write_text(text)
