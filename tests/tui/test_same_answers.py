# SPDX-License-Identifier: Apache-2.0
"""Commands and screens give the same answers about one checkout: both ask the workspace."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.base.text import json_text
from core.cli.command_propose import proposal_records
from core.domain.model import Function
from core.evidence import Ending, Observation
from core.evidence.observation import CaseNumbers
from core.evidence.proposals import Worklist
from core.ops import case_key, read_op_tests
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.cli import call
from tests.support.evidence import observed
from tests.support.reports import keep
from tests.support.three_nights import CRASH, DRIFTED, FLAKY, STALE, nightly_checkout
from tui.app.app import TTMatrixApp
from tui.screens.clusters import ClustersScreen
from tui.view_models import Rows

_DAY = 86_400.0
_MANIFEST = """\
cases:
  - {name: a, op: torch.neg, inputs: [{tensor: {shape: [2]}}]}
  - {name: b, op: torch.abs, xfail_reason: wrong, inputs: [{tensor: {shape: [2]}}]}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Nightlies, a machine that the policy ignores, one that fails alone, and runs of op cases newer than all that."""
    checkout = nightly_checkout(tmp_path / "tt-xla")
    (checkout.root / "ttmatrix-policy.toml").write_text('grace_days = 0\nignored_hosts = ["bad"]\n')
    (checkout.models / "alpha/pytorch/src.py").write_text("")
    rows = [observed(test_id=DRIFTED, run="nightly-4", host="host-4", when=4 * _DAY)]
    for night in range(4, 9):
        place: dict[str, Any] = {"run": f"nightly-{night}", "when": night * _DAY}
        rows.append(observed(Ending.FAILED, "worn out", test_id=STALE, host="bad", pcc=0.1, **place))
        rows.append(observed(Ending.FAILED, "only here", test_id=FLAKY, host="alone", **place))
    keep(checkout, rows)
    directory = checkout.root / "tests/op_manifests"
    directory.mkdir(parents=True)
    (directory / "m.yaml").write_text(_MANIFEST)
    keep(checkout, list(_case_results(checkout)))
    return checkout


def _case_results(checkout: Checkout) -> Iterator[Observation]:
    """One case fails, and the other passes against its manifest: on one machine."""
    for row in read_op_tests(checkout.root, ["tests/op_manifests"]).rows:
        fails = row.id == "m::a"
        op = CaseNumbers("fail" if fails else "xpass", case_key(row), row.case.rtol, row.case.atol)
        for night in range(9, 13):
            place: dict[str, Any] = {"run": f"ops-{night}", "when": night * _DAY, "host": "lab", "arch": "tt"}
            ending = Ending.FAILED if fails else Ending.PASSED
            yield observed(
                ending, "departs" if fails else "", test_id=row.id, function=Function.OP_CASE, op=op, **place
            )


def _json(checkout: Checkout, *words: str) -> Any:
    return call(*words, "--json", "--repo", checkout.root).json


def _proposed(worklist: Worklist, commit: str) -> Any:
    """The proposals of a screen as `propose` writes them."""
    return json.loads(json_text(proposal_records(worklist.proposals, commit)))


def _worklist(app: TTMatrixApp) -> Worklist:
    assert app.worklists.known is not None
    return app.worklists.known.worklist


async def test_the_last_two_runs_and_how_they_differ(checkout: Checkout) -> None:
    """Runs of op cases are newer, but are no nightlies."""
    found = _json(checkout, "compare")
    assert (found["before"], found["after"]) == ("nightly-7", "nightly-8")
    app = build_app(checkout, op_cases=True)
    async with app.run_test(size=(200, 55)) as pilot:
        await pilot.press("8")
        await until(pilot, lambda: "nightly-7 → nightly-8" in screen_text(app), "the same two")
        counts = ", ".join(f"{count:,} {kind}" for kind, count in found["counts"].items() if count)
        assert counts and counts in screen_text(app)
        # A run from the report is compared with one of its sort.
        app.navigation.compare_run("ops-9")
        await until(pilot, lambda: "ops-9 → ops-10" in screen_text(app), "the first one before the next")
        app.navigation.compare_run("nightly-3")
        await until(pilot, lambda: "nightly-2 → nightly-3" in screen_text(app), "the nightly before it")


async def test_clusters(checkout: Checkout) -> None:
    found = _json(checkout, "clusters")
    app = build_app(checkout, op_cases=True)
    async with app.run_test(size=(200, 55)) as pilot:
        await pilot.press("7")
        await until(pilot, lambda: "clusters of failures" in screen_text(app), "the clusters")
        source = app.navigation.screen(ClustersScreen).table.source
        assert isinstance(source, Rows)
        shown = [(one.signature, one.canonical, [(m.id, m.arch) for m in one.members]) for one in source.items]
        assert shown == [
            (one["signature"], one["reason"], [(m["id"], m["arch"]) for m in one["members"]]) for one in found
        ]


async def test_what_is_proposed_and_since_when(checkout: Checkout) -> None:
    found = _json(checkout, "propose")
    commit = found[0]["base"]["commit"]
    assert {"m::b", CRASH} <= {one["id"] for one in found}
    lines = call("since", CRASH, "--repo", checkout.root).out.splitlines()
    app = build_app(checkout, op_cases=True)
    async with app.run_test(size=(200, 55)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: app.worklists.known is not None, "the list")
        assert _proposed(_worklist(app), commit) == found
        before = app.worklists.known
        app.worklists.leave_out(frozenset({"alone", "lab"}))
        await until(pilot, lambda: app.worklists.known is not before, "the list without machines")
        less = _json(checkout, "propose", "--without-host=alone", "--without-host=lab")
        assert _proposed(_worklist(app), commit) == less
        # The results of op cases are without these machines, too.
        assert "m::b" not in {one["id"] for one in less}
        evidence = app.session.look()
        assert [line.text for one in evidence.since(CRASH) for line in one.lines if not line.aside] == lines


async def test_all_about_one_test(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.session.verdicts is not None, "the verdicts")
        verdicts, session = app.session.verdicts, app.session
        assert verdicts is not None
        for id in (STALE, CRASH, DRIFTED):
            found = _json(checkout, "show", id)
            said = [(one.arch, str(one.verdict), one.why) for one in verdicts.of(id)]
            assert said == [(one["arch"], one["verdict"], one["why"]) for one in found["evidence"]]
            findings = [(one.kind, one.message) for one in session.workspace.described(id).findings]
            assert findings == [(one["kind"], one["message"]) for one in found["findings"]]
            assert len(session.performance_of(id)) == len(found["performance"])


async def test_what_a_loader_raises_is_in_the_detail_too(checkout: Checkout) -> None:
    loader = checkout.models / "alpha/pytorch/loader.py"
    loader.write_text(f"{loader.read_text()}\nraise RuntimeError('no such dataset')\n")
    found = _json(checkout, "show", CRASH)["findings"]
    assert found
    app = build_app(checkout, query=CRASH)
    async with app.run_test(size=(120, 120)) as pilot:
        await until(pilot, lambda: "no such dataset" in screen_text(app), "what it raises")
        assert [one.message for one in app.session.workspace.described(CRASH).findings] == [
            one["message"] for one in found
        ]


async def test_drift_is_of_the_results_that_count(checkout: Checkout) -> None:
    """Results of machines that the policy ignores, and of other profiles, drift on their own."""
    (cell, _) = _json(checkout, "since", STALE)["cells"]
    app = build_app(checkout, query=STALE)
    async with app.run_test(size=(160, 120)) as pilot:
        assert cell["drift"]["results"] == 3
        await until(pilot, lambda: "pcc  ▄▄▄ .9920" in screen_text(app), "the drift of these three")


async def test_a_query_about_results_follows_reports_that_come(checkout: Checkout) -> None:
    app = build_app(checkout, query="verdict:crash")
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: len(app.session.view.rows) == 1, "the test that crashes")
        rows = [
            observed(Ending.CRASHED, "Fatal Python error", test_id=STALE, arch=arch, run=f"n-{night}", signal=6)
            for arch in ("n150", "p150")
            for night in range(4)
        ]
        keep(checkout, rows)
        shown = {STALE, CRASH}
        await until(pilot, lambda: {app.session.view.matrix.ids[row] for row in app.session.view.rows} == shown, "both")
    listed = call("list", "verdict:crash", "--format", "ids", "--repo", checkout.root).out.split()
    assert set(listed) == shown
