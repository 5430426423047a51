# SPDX-License-Identifier: Apache-2.0
"""Placeholders as rows: after the tests, and only on request."""

from pathlib import Path

import pytest

from core.matrix import Matrix, Universe, index, with_other_rows, with_placeholder_rows
from core.matrix.cache import Cache
from core.matrix.placeholder_rows import reported_name
from core.matrix.query import Query, select
from core.matrix.view import View
from core.sources import Checkout
from tests.support.op_rows import some_handwritten_rows, some_op_rows
from tests.support.tree import LOADERS, YAML, write_checkout

FILE = "torch/test_config_placeholders.yaml"
PLACEHOLDERS = """\
# Planned.
PLACEHOLDER_MODELS:
  org/Some Model:
    bringup_status: FAILED_RUNTIME
    reason: "Waits"
  Another:
"""
NAMES = ["Another", "org/Some Model"]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return write_checkout(tmp_path, LOADERS, YAML | {FILE: PLACEHOLDERS})


def _selected(matrix: Matrix, words: str) -> list[str]:
    return [matrix.ids[row] for row in select(matrix, Query.parse(words))]


def test_without_being_asked_for_they_are_no_rows(checkout: Checkout) -> None:
    plain = index(checkout)
    assert not set(NAMES) & set(plain.ids)
    assert _selected(plain, "is:placeholder") == []
    assert with_placeholder_rows(plain).model_tests is plain


def test_each_row_has_what_the_report_of_it_has(checkout: Checkout) -> None:
    matrix = with_placeholder_rows(index(checkout))
    rows = select(matrix, Query.parse("is:placeholder"))
    assert [matrix.ids[row] for row in rows] == NAMES
    assert [matrix.line_of(row) for row in rows] == [6, 3]
    texts = {name: [matrix.columns[name][row] for row in rows] for name in ("model", "bringup", "reason", "file")}
    assert texts == {
        "model": ["another", "org_some_model"],
        "bringup": ["NOT_STARTED", "FAILED_RUNTIME"],
        "reason": ["Not yet started or WIP", "Waits"],
        "file": [f"tests/runner/test_config/{FILE}"] * 2,
    }
    assert reported_name("Qwen/Qwen Image") == "qwen_qwen_image"
    assert _selected(matrix, "is:placeholder bringup:failed_runtime") == ["org/Some Model"]
    assert _selected(matrix, "kind:placeholder model:another") == ["Another"]
    assert _selected(matrix, "function:test_placeholder_models") == NAMES
    assert not set(NAMES) & set(_selected(matrix, "function:test_all_models_torch"))


def test_all_kinds_of_rows_know_what_they_are(checkout: Checkout) -> None:
    ops, by_hand = some_op_rows(), some_handwritten_rows()
    plain = index(checkout)
    orders = [
        with_placeholder_rows(with_other_rows(with_other_rows(plain, ops), by_hand)),
        with_other_rows(with_other_rows(with_placeholder_rows(plain), by_hand), ops),
    ]
    for matrix in orders:
        assert matrix.ids == (*plain.ids, *ops.ids, *by_hand.ids, *NAMES)
        first = len(plain.ids)
        rows = range(len(matrix.ids))
        names = ("op", "handwritten", "placeholder")
        kinds = [[row for row in rows if matrix.kind_of(row) == kind] for kind in names]
        assert kinds == [[*range(first, first + 4)], [*range(first + 4, first + 7)], [*range(first + 7, first + 9)]]
        assert matrix.line_of(first + 4) == by_hand.lines[0]
        for kind in ("model", "op", "handwritten", "placeholder"):
            assert _selected(matrix, f"kind:{kind}")
        assert _selected(matrix, "kind:placeholder") == NAMES
        assert View(matrix, Query.parse("kind:handwritten")).kind == "handwritten"
        assert not View(matrix, Query.parse("kind:handwritten or kind:placeholder")).kind


def test_where_pytest_collects_them_they_are_tests(checkout: Checkout) -> None:
    collected = index(checkout, Universe.COLLECTED)
    assert _selected(collected, "is:placeholder") == NAMES
    assert with_placeholder_rows(collected) is collected


def test_they_are_cached_with_the_index(checkout: Checkout, tmp_path: Path) -> None:
    cache = Cache(checkout, tmp_path / "cache")
    matrix, reading = cache.index()
    assert reading is not None
    cache.save(reading)
    again, none = cache.index()
    assert none is None or matrix.ids == again.ids
    assert _selected(with_placeholder_rows(again), "is:placeholder") == NAMES
