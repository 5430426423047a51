# SPDX-License-Identifier: Apache-2.0
"""A new kind is one module: commands and the start of the app ask it, and know nothing of it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import core.matrix.query as query
import core.matrix.row_kinds as row_kinds
from core.base.errors import EXIT_OK, EXIT_USAGE
from core.base.settings import Settings
from core.matrix import index
from core.matrix.cache import Cache
from core.matrix.query import Query
from core.sources import Checkout
from tests.support.cli import call
from tests.support.memo_kind import IDS
from tests.support.tree import sample
from tui.app.start import with_rows


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Checkout]:
    cached = (row_kinds.all_kinds, row_kinds.row_kind, row_kinds.kinds_with)
    monkeypatch.setitem(row_kinds.KINDS, "memo", "tests.support.memo_kind")
    for one in cached:
        one.cache_clear()
    yield sample(tmp_path / "tt-xla")
    monkeypatch.undo()
    for one in cached:
        one.cache_clear()


def test_its_rows_run_as_it_plans_them(checkout: Checkout) -> None:
    planned = json.loads(call("--json", "--repo", checkout.root, "run", "memo::all", "--repeat", "2", "--plan").out)
    assert [one["id"] for one in planned] == [IDS[0], IDS[0], IDS[1], IDS[1]]
    assert all(one["argv"][-1] == "--read-aloud" for one in planned)
    alone = json.loads(call("--json", "--repo", checkout.root, "run", "memo::tw", "--plan").out)
    assert [one["id"] for one in alone] == [IDS[1]]
    refused = call("--repo", checkout.root, "run", "memo::all", "--kind", "device", "--plan")
    assert refused.code == EXIT_USAGE and f"{IDS[1]} is read aloud" in refused.err


def test_its_rows_are_shown_as_it_says(checkout: Checkout) -> None:
    shown = call("--repo", checkout.root, "show", "memo::one")
    assert shown.code == EXIT_OK
    assert shown.out.splitlines() == ["memo::one", "field   value", "colour  red", "more of it"]
    assert "that is all" in shown.err


def test_jobs_of_its_rows_have_the_marks_that_it_says(checkout: Checkout) -> None:
    told = call("--repo", checkout.root, "jobs", "memo::one")
    assert told.out.splitlines()[1:] == [
        "runs-on    cadence     file        name   mark",
        "n150-perf  on request  memos.json  write  push",
    ]
    found = json.loads(call("--json", "--repo", checkout.root, "--arch", "n150", "jobs", "memo::one").out)
    assert found["archs"] == {"n150-perf": [{"file": "memos.json", "name": "write", "mark": "push"}]}
    other = json.loads(call("--json", "--repo", checkout.root, "--arch", "p150", "jobs", "memo::one").out)
    assert other["archs"] == {}


def test_the_first_frame_waits_for_rows_that_the_query_is_about(checkout: Checkout, tmp_path: Path) -> None:
    cache, matrix = Cache(checkout, tmp_path / "cache"), index(checkout)
    early = with_rows(matrix, cache, Settings(), Query())
    assert early.unread == {"memo"} and IDS[0] not in early.rows
    asked = with_rows(matrix, cache, Settings(), query.parsed("kind:memo"))
    assert not asked.unread and IDS[0] in asked.rows
