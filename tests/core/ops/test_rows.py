# SPDX-License-Identifier: Apache-2.0
"""Op cases of a checkout as rows: their values, and that the cache follows the manifests."""

import shutil
from pathlib import Path

import pytest

from core.base.settings import paths
from core.matrix import Matrix, index
from core.matrix.cache import Cache, in_worker
from core.ops import read_op_rows, with_ops
from core.ops.rows import cached_op_rows
from core.sources import Checkout
from tests.support.tree import sample

DIRECTORIES = ("ops",)
ONE = """model: one
defaults: {dtype: bf16, rtol: 0.01}
cases:
  - name: b
    op: torch.add
    inputs: [{tensor: {shape: [2, 3]}}, {tensor: {shape: [], dtype: int64, init: zeros}}]
    marks: slow
  - {name: a, op: torch.neg, inputs: [{tensor: {shape: [4]}}], xfail_reason: wrong sign}
  - {name: c, op: torch.neg, inputs: [{tensor: {shape: [4]}}], skip_if: "env['TT_HERE'] == 'yes'"}
"""
TWO = "cases: [{name: b, op: torch.add, dtype: bf16, inputs: [{tensor: {shape: [2, 3]}}, \
{tensor: {shape: [], dtype: int64, init: zeros}}]}]\n"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    checkout = sample(tmp_path)
    (checkout.root / "ops").mkdir()
    (checkout.root / "ops/one.yaml").write_text(ONE)
    (checkout.root / "ops/two.yaml").write_text(TWO)
    # Trust files that were just written: otherwise they would be read again.
    monkeypatch.setattr("core.sources.stamps._RACY_NS", -(10**18))
    return Cache(checkout, paths().cache / "index")


def _cells(matrix: Matrix, id: str) -> dict[str, object]:
    row = matrix.rows[id]
    names = ("op", "model", "shape", "dup", "rtol", "reason", "file")
    found: dict[str, object] = {name: matrix.columns[name][row] for name in names}
    line = matrix.line_of(row)
    return {**found, "line": line, "status": matrix.status[""][row]} | {
        n: matrix.flags[n][row] for n in ("dtype", "mark")
    }


def test_rows_hold_what_manifests_say(cache: Cache) -> None:
    models = index(cache.checkout)
    matrix = with_ops(cache, models, DIRECTORIES)
    assert matrix.ids[len(models.ids) :] == ("one::a", "one::b", "one::c", "two::b")
    assert _cells(matrix, "one::b") == {
        "op": "torch.add",
        "model": "one",
        "shape": "2x3 scalar",
        "dup": "",
        "rtol": "0.01",
        "reason": "",
        "file": "ops/one.yaml",
        "line": 4,
        "status": "EXPECTED_PASSING",
        "dtype": ("bfloat16", "int64"),
        "mark": ("slow",),
    }
    assert _cells(matrix, "two::b")["dup"] == "one::b"
    failing = _cells(matrix, "one::a")
    assert (failing["status"], failing["reason"]) == ("KNOWN_FAILURE_XFAIL", "wrong sign")


def test_a_checkout_without_cases_has_no_rows_of_them(cache: Cache) -> None:
    shutil.rmtree(cache.checkout.root / "ops")
    models = index(cache.checkout)
    assert with_ops(cache, models, DIRECTORIES) is models
    assert with_ops(cache, models, ()) is models


def test_the_cache_is_valid_until_a_manifest_changes(cache: Cache) -> None:
    read = read_op_rows(cache, DIRECTORIES)
    cached = cached_op_rows(cache, DIRECTORIES)
    assert cached is not None
    assert (cached.ids, list(cached.lines)) == (read.ids, list(read.lines))
    assert cached_op_rows(cache, ("others",)) is None
    (cache.checkout.root / "ops/three.yaml").write_text(TWO)
    assert cached_op_rows(cache, DIRECTORIES) is None
    assert "three::b" in read_op_rows(cache, DIRECTORIES).ids
    assert cached_op_rows(cache, DIRECTORIES) is not None
    (cache.checkout.root / "ops/two.yaml").write_text(TWO.replace("name: b", "name: other"))
    assert cached_op_rows(cache, DIRECTORIES) is None


def test_a_variable_that_a_condition_asks_for_is_part_of_the_cache(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TT_HERE", raising=False)
    assert read_op_rows(cache, DIRECTORIES).status[2] == "EXPECTED_PASSING"
    monkeypatch.setenv("TT_HERE", "yes")
    assert cached_op_rows(cache, DIRECTORIES) is None
    assert read_op_rows(cache, DIRECTORIES).status[2] == "NOT_SUPPORTED_SKIP"
    monkeypatch.setenv("TT_OTHER", "yes")
    assert cached_op_rows(cache, DIRECTORIES) is not None


def test_another_process_reads_the_same_and_caches_it(cache: Cache) -> None:
    found = in_worker(read_op_rows, cache, DIRECTORIES)
    assert found.ids == read_op_rows(cache, DIRECTORIES).ids


def test_a_damaged_manifest_leaves_the_others(cache: Cache) -> None:
    (cache.checkout.root / "ops/one.yaml").write_text("cases: [{name: a, op: torch.load}]\nmodle: a\n")
    matrix = with_ops(cache, index(Checkout(cache.checkout.root)), DIRECTORIES)
    assert matrix.ids[-1] == "two::b"
