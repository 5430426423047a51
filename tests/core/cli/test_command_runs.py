# SPDX-License-Identifier: Apache-2.0
"""`runs`: newest first, filtered by words."""

from pathlib import Path

from core.sources.checkout import Checkout
from tests.support.cli import call

PASSES, FAILS = (f"alpha/pytorch-{name}-single_device-training" for name in ("tiny", "org/name"))


def test_none_yet() -> None:
    assert call("runs", "--json").json == []
    assert call("runs").out == "run  outcome  seconds  id  why\n"


def test_words_filter_by_id_and_outcome(runnable: Checkout) -> None:
    call("run", PASSES, FAILS, "--kind", "cpu", "--wait", "--repo", runnable.root)
    assert {one["id"] for one in call("runs", "--json").json} == {PASSES, FAILS}
    assert [one["id"] for one in call("runs", "fail", "--json").json] == [FAILS]
    assert [one["id"] for one in call("runs", "TINY", "--json").json] == [PASSES]
    assert call("runs", "--active", "--json").json == []


def test_a_broken_run_is_told_and_the_rest_is_listed(runnable: Checkout, own_home: Path) -> None:
    call("run", PASSES, "--kind", "cpu", "--wait", "--repo", runnable.root)
    broken = own_home / "state" / "runs" / "20260101-000000-abcdef"
    broken.mkdir()
    (broken / "spec.json").write_text("{")
    called = call("runs", "--json")
    assert called.code == 0
    assert [one["id"] for one in called.json] == [PASSES]
    assert str(broken) in called.err
