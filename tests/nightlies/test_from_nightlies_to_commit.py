# SPDX-License-Identifier: Apache-2.0
"""From three nightlies that really ran to the commit of what they have shown, by keyboard and without a screen."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from core.base.processes import run_command
from core.edits.pending import Decision
from core.evidence.verdicts import Verdict
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.cli import call
from tests.support.git import git
from tests.support.real_nightlies import (
    CRASH,
    DRIFTED,
    FATAL,
    FLAKY,
    NAMES,
    REGRESSED,
    SEMI,
    STALE,
    STALE_TOO,
    TIGHT,
    make_nightlies,
)
from tests.support.sample import sample_checkout
from tui.screens import TriageScreen
from tui.widgets import LinesView

pytestmark = pytest.mark.slow("three nightlies run first")

VERDICTS = {
    STALE: Verdict.STALE,
    STALE_TOO: Verdict.STALE,
    SEMI: Verdict.SEMI_STALE,
    DRIFTED: Verdict.DRIFTED,
    FLAKY: Verdict.FLAKY,
    CRASH: Verdict.CRASH,
    TIGHT: Verdict.PCC_TIGHT,
    REGRESSED: Verdict.REGRESSED,
}


@pytest.fixture(scope="module")
def nightlies(tmp_path_factory: pytest.TempPathFactory, warm_torch: Path) -> Path:
    """Reports of three nightlies over the sample, which is the same wherever it is laid out."""
    scratch = tmp_path_factory.mktemp("nightlies")
    (scratch / "ci").mkdir()
    return make_nightlies(sample_checkout(scratch / "tt-xla"), scratch / "ci", warm_torch)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample_checkout(tmp_path / "tt-xla")


def _verdicts(checkout: Checkout) -> Mapping[tuple[str, str], str]:
    told = call("verdicts", "mode:inference", "--json", "--repo", checkout.root).json
    return {(one["id"], one["arch"]): one["verdict"] for one in told}


def _committed(checkout: Checkout) -> str:
    assert run_command(["git", "status", "--porcelain"], cwd=checkout.root).stdout == ""
    return run_command(["git", "show", "--unified=0", "--format=%B"], cwd=checkout.root).stdout


def test_without_a_screen(checkout: Checkout, nightlies: Path, tmp_path: Path) -> None:
    read = call("ingest", nightlies, "--json", "--repo", checkout.root).json
    assert sum(read["counts"].values()) == read["testcases"] == len(NAMES) * 3 * 2
    assert (read["counts"]["crashed"], read["without_arch"]) == (6, 0)
    assert sorted(read["runs"]) == ["nightly-1", "nightly-2", "nightly-3"]

    found = _verdicts(checkout)
    assert {id: found[id, "p150"] for id in NAMES} == VERDICTS
    # It still fails on the other arch, as its entry says.
    assert {id: found[id, "n150"] for id in NAMES} == {**VERDICTS, SEMI: Verdict.ACTIVE}

    file = tmp_path / "proposals.json"
    proposed = call("propose", "mode:inference", "-o", file, "--repo", checkout.root)
    assert proposed.code == 0
    assert f"not proposed: {FLAKY} on n150" in proposed.err
    applied = call("apply", file, "--commit", "--json", "--repo", checkout.root)
    assert (applied.code, applied.json["rejected"]) == (0, [])
    changed = {(one["id"], bool(one["jobs_lost"]), bool(one["jobs_gained"])) for one in applied.json["effect"]}
    assert {(CRASH, True, True), (STALE, True, True), (REGRESSED, True, True)} <= changed
    diff = _committed(checkout)
    assert '+    reason: "running the test CRASHED with signal 6"\n' in diff
    assert f'+    reason: "{FATAL}"\n' in diff
    assert "+    required_pcc: 0.96\n" in diff
    # A run is named once, however many tests it is about.
    assert diff.count("nightly-1") == 1

    # The entries are true now, but for what no entry can say.
    assert set(_verdicts(checkout).values()) <= {Verdict.ACTIVE, Verdict.FLAKY, Verdict.UNKNOWN, Verdict.UNUSED}
    assert call("propose", "--json", "--repo", checkout.root).json == []


async def test_by_keyboard(checkout: Checkout, nightlies: Path) -> None:
    assert call("ingest", nightlies, "--repo", checkout.root).code == 0
    before = git(checkout.root, "rev-parse", "HEAD").strip()
    app = build_app(checkout)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "7 of 8 open" in screen_text(app), "what is to be decided")
        # What is stale is in a group: that it is fixed is what its tests share.
        shown = {str(one) for one in VERDICTS.values()} - {Verdict.STALE, Verdict.SEMI_STALE} | {"fixed"}
        await until(pilot, lambda: shown <= set(screen_text(app).split()), "every verdict")
        screen = app.navigation.screen(TriageScreen)
        # The one that is alone is decided at once, its jobs visible before.
        await until(pilot, lambda: "loses CI job" in _whole(screen.pane.view), "the effect")
        assert "gains CI job model-test-xfail-weekly.json" in _whole(screen.pane.view)
        await pilot.press("x")
        # A group is decided with one key and a yes.
        await pilot.press("n")
        await until(pilot, lambda: STALE in _whole(screen.pane.view), "the members")
        await pilot.press("a", "y")
        await until(pilot, lambda: "3 of 8 open" in screen_text(app), "the progress")
        # The rest one by one, past what only a person can find out.
        for left in (2, 1, 0):
            await pilot.press("a")
            await until(pilot, lambda left=left: f"{left} of 8 open" in screen_text(app), "the progress")  # type: ignore[misc]
        decided = {change.ops[0].id: change.decision for change in app.session.pending.changes}
        assert decided.pop(REGRESSED) is Decision.REJECTED
        assert decided == dict.fromkeys(set(NAMES) - {REGRESSED, FLAKY}, Decision.ACCEPTED)
        await pilot.press("5", "c")
        await until(pilot, lambda: "Commit 6 tests" in screen_text(app), "the message")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Committed" in screen_text(app), "the commit")
    # A commit for each cause, in which a run is named once.
    commits = git(checkout.root, "log", "--patch", "--unified=0", "--format=%x00%B", f"{before}..HEAD").split("\0")[1:]
    diff = "".join(commits)
    assert '+    reason: "running the test CRASHED with signal 6"\n' in diff
    assert REGRESSED not in diff
    # What results show is in the commits, as it is without a screen.
    assert "n150 crashed 3 of 3" in diff
    assert all(one.count("Evidence:\n  since nightly-") == 1 for one in commits)
    assert all(one.count(f"since nightly-{number} ") <= 1 for one in commits for number in (1, 2, 3))


def _whole(view: LinesView) -> str:
    """All lines of a view, also those below the edge of the screen."""
    lines = view.source.lines(0, view.source.line_count)
    return "\n".join("".join(one if isinstance(one, str) else one.text for one in line) for line in lines)
