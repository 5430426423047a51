# SPDX-License-Identifier: Apache-2.0
"""Triage on a screen: what needs attention first, decided in groups, and on to the review."""

import re
import threading
from collections.abc import Generator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.base.settings import Settings
from core.domain.model import TEST_MODULE
from core.edits.pending import Decision
from core.evidence import Ending
from core.sources import Checkout
from core.workspace import Evidence
from tests.core.evidence.op_cases.observed import batches, op_tests_of, result
from tests.support.app import SIZES, build_app, screen_text, shown_ids, type_text, until
from tests.support.evidence import TEST_ID, observed
from tests.support.git import committed_checkout, git
from tests.support.late import Late
from tests.support.morning import Fate, morning_checkout, names
from tests.support.recorded import nights
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tests.support.three_nights import CRASH, FLAKY, SEMI, SILENT, STALE, STALE_TOO, TIGHT, nightly_checkout
from tests.support.tree import INFERENCE, sample
from tui.app.app import TTMatrixApp
from tui.screens import TriageScreen
from tui.view_models import TriageBy, make_preview


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return nightly_checkout(tmp_path / "tt-xla")


def _decided(app: TTMatrixApp) -> dict[str, str]:
    return {change.ops[0].id: change.decision for change in app.session.pending.changes}


@SIZES
async def test_from_what_was_seen_to_the_commit_by_keyboard(checkout: Checkout, size: tuple[int, int]) -> None:
    app = build_app(checkout)
    async with app.run_test(size=size) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "needs attention: 6 of 7 open" in screen_text(app), "what is to be decided")
        # By cause, in the order of a morning: what broke, what is flaky, what is fixed, numbers, other failures.
        order = re.compile("crash.*flaky.*3 fixed.*pcc-tight.*drifted", re.DOTALL)
        await until(pilot, lambda: order.search(screen_text(app)) is not None, "the causes, worst first")
        # The crash is alone; then all that is fixed at once, also where it is on one arch only: that is one cause.
        await pilot.press("a")
        assert _decided(app) == {CRASH: Decision.ACCEPTED}
        screen = app.navigation.screen(TriageScreen)
        screen.listing.table.cursor = next(
            at for at, one in enumerate(screen.listing.table.rows.groups) if len(one.changes) == 3
        )
        await until(pilot, lambda: STALE in screen_text(app) and STALE_TOO in screen_text(app), "the group")
        await pilot.press("A", "y")
        assert _decided(app) == dict.fromkeys((CRASH, STALE, STALE_TOO, SEMI), Decision.ACCEPTED)
        await until(pilot, lambda: "2 of 7 open" in screen_text(app), "the progress")
        await pilot.press("5", "w", "y")
        await until(pilot, lambda: not app.session.pending.changes, "the write")
    text = (checkout.test_config / INFERENCE).read_text()
    assert f"  {CRASH}:\n    status: NOT_SUPPORTED_SKIP\n" in text
    assert f"  {STALE}:\n    status: EXPECTED_PASSING\n  {STALE_TOO}:" in text


async def test_a_preview_that_comes_late_does_not_cover_what_is_said_of_a_group(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, late = build_app(checkout), Late(make_preview)
    monkeypatch.setattr("tui.screens.triage.make_preview", late)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("4")
        await until(pilot, late.asked.is_set, "the preview of the first test")
        screen = app.navigation.screen(TriageScreen)
        groups = screen.listing.table.rows.groups
        screen.listing.table.cursor = next(at for at, one in enumerate(groups) if len(one.changes) == 3)
        await until(pilot, lambda: screen.pane.headline.words[0].startswith("3 tests: fixed"), "the group")
        late.go_on.set()
        await until(pilot, lambda: late.answered and not any(one.is_running for one in app.workers), "the preview")
        await pilot.pause()
        assert screen.pane.headline.words[0].startswith("3 tests: fixed")


async def test_keys_wait_a_moment_for_the_first_list(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.app.app._LIST_SECONDS", 60.0)
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await type_text(pilot, "4a")
        await until(pilot, lambda: _decided(app) == {CRASH: Decision.ACCEPTED}, "the decision")


async def test_keys_work_while_the_list_is_worked_out(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    late = Late(Evidence.worklist_steps)
    monkeypatch.setattr(Evidence, "worklist_steps", lambda *asked: late(*asked))
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "reading the evidence" in screen_text(app), "the screen without a list")
        assert late.asked.wait(60)
        await pilot.press("slash", *"stale", "escape", "2")
        await until(pilot, lambda: "No runs yet" in screen_text(app), "another screen")
        await pilot.press("4")
        late.go_on.set()
        await until(pilot, lambda: "6 of 7 open" in screen_text(app), "the list")


async def test_the_list_is_there_before_anybody_asks_for_it(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.app.worklists._QUIET_SECONDS", 0.01)
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.worklists.known is not None, "the list")
        # No thread answers any more.
        monkeypatch.setattr(app.background, "run", lambda *_, **__: None)
        await pilot.press("4")
        assert "6 of 7 open" in screen_text(app)


async def test_what_comes_meanwhile_drops_what_is_worked_out(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    late, listed = Late(Evidence.worklist_steps), []
    monkeypatch.setattr(Evidence, "worklist_steps", lambda *asked: late(*asked))
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        assert late.asked.wait(60)
        app.signals.worklist_changed.subscribe(app, lambda _: listed.append(app.worklists.known))
        for number in range(3):
            keep(checkout, [observed(test_id=SILENT, arch="n150", run=f"n{number}")])
            app.signals.evidence_changed.publish(None)
        app.signals.matrix_changed.publish(None)
        late.go_on.set()
        await until(pilot, lambda: "of 8 open" in screen_text(app), "the list with all of them")
        assert len({id(one) for one in listed if one is not None}) <= 2, "one for the last, one for the poll after it"


async def test_how_much_is_worked_out_is_said(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.app.worklists._SAID_SECONDS", -1.0)
    titles: list[str] = []
    said, steps = threading.Event(), Evidence.worklist_steps

    def in_parts(*asked: Any) -> Generator[Any, None, Any]:
        """Goes on after a few tests when the screen has said so."""
        walk = steps(*asked)
        for at in count():
            try:
                yield next(walk)
            except StopIteration as end:
                return end.value
            if at == 3:
                said.wait(60)

    def title(_: object, *words: str, **__: object) -> None:
        titles.extend(words)
        if any(re.fullmatch(r"reading results: [1-9] of \d tests …", one) for one in words):
            said.set()

    monkeypatch.setattr(Evidence, "worklist_steps", in_parts)
    monkeypatch.setattr(TriageScreen, "title_line", title)
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: app.worklists.known is not None, "the list")
    assert said.is_set(), titles


async def _without_groups(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    """Triage with a row for each test; there is nothing to group before its list is there."""
    await pilot.press("4")
    screen = app.navigation.screen(TriageScreen)
    await until(pilot, lambda: len(screen.tests.changes) == 7, "the tests")
    await pilot.press(*"mmmmm")
    await until(pilot, lambda: screen.listing.by is TriageBy.NOTHING, "the list without groups")


@SIZES
async def test_the_evidence_is_beside_what_is_proposed(checkout: Checkout, size: tuple[int, int]) -> None:
    app = build_app(checkout)
    async with app.run_test(size=size) as pilot:
        await _without_groups(app, pilot)
        await until(pilot, lambda: "n150 CCC 0/3 crash:" in screen_text(app), "the strip")
        await until(pilot, lambda: "NOT_SUPPORTED_SKIP" in screen_text(app), "the entry afterwards")
        assert "Fatal Python error: Aborted" in screen_text(app)
        await pilot.press("G")
        await until(pilot, lambda: "PxP 2/3" in screen_text(app), "the flaky one")
        assert app.navigation.screen(TriageScreen).listing.current is not None
        await pilot.press("a")
        assert not app.session.pending.changes


async def test_since_when_it_fails_and_what_was_committed_before(tmp_path: Path) -> None:
    checkout = committed_checkout(sample(tmp_path / "tt-xla"))
    before = git(checkout.root, "rev-parse", "HEAD").strip()
    git(checkout.root, "commit", "--quiet", "--allow-empty", "--message=uplift of the compiler")
    after = git(checkout.root, "rev-parse", "HEAD").strip()
    rows = []
    for night in range(8):
        bad = night >= 4
        place: dict[str, Any] = {"run": f"nightly-{night}", "when": 86400.0 * (night + 1)}
        place |= {"commit": after if bad else before, "ending": Ending.INACCURATE if bad else Ending.PASSED}
        rows += [observed(test_id=id, pcc=0.995 - night / 100, **place) for id in (TEST_ID, "other")]
    keep(checkout, rows)
    app = build_app(checkout)
    async with app.run_test(size=(120, 50)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "since when" in screen_text(app), "since when")
        text = screen_text(app)
        assert "n150: fails since nightly-4 (1970-01-06); changed once, not flaky" in text
        assert "last good: nightly-3 (1970-01-05)" in text
        assert "1 other cell began to fail in the same run" in text
        assert "pcc █▇▆▅▄▃▂▁ .9950 to .9250 in 8 results since 1970-01-02" in text
        assert "uplift of the compiler" in text


async def test_next_skips_what_is_decided_and_undo_takes_it_back(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await _without_groups(app, pilot)
        await pilot.press("x")
        assert list(_decided(app).values()) == [Decision.REJECTED]
        assert app.navigation.screen(TriageScreen).listing.table.cursor == 1
        await pilot.press("s", "N", "N")
        # Back past the rejected one, round to the last that asks for something.
        assert app.navigation.screen(TriageScreen).listing.table.cursor == 5
        await pilot.press("u")
        await until(pilot, lambda: not app.session.pending.changes, "the undo")
        await pilot.press("U")
        await until(pilot, lambda: len(app.session.pending.changes) == 1, "the redo")


@pytest.mark.slow("a job over several screens")
async def test_what_nobody_knows_is_a_list_of_its_own(checkout: Checkout) -> None:
    # Upstream's runner wants a device and its plugin, which are not here.
    runner = checkout.root / TEST_MODULE
    runner.parent.mkdir(parents=True, exist_ok=True)
    runner.touch()
    app = build_app(checkout)
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: len(app.navigation.screen(TriageScreen).tests.changes) == 7, "the tests")
        await pilot.press("f")
        assert str(app.navigation.screen(TriageScreen).tests.shown) == "PCC ratchet"
        await until(pilot, lambda: "PCC ratchet: 1 of 1 open" in screen_text(app), "the ratchet")
        await pilot.press("f", "f")
        assert str(app.navigation.screen(TriageScreen).tests.shown) == "blind spots"
        await until(pilot, lambda: "no scheduled job selects it" in screen_text(app), "why it is blind")
        assert [change.test for change in app.navigation.screen(TriageScreen).tests.changes] == [SILENT]
        await pilot.press("r")
        await until(pilot, lambda: "These runs cannot start here" in screen_text(app), "what is in the way")
        await pilot.press("escape", "escape")
        assert str(app.navigation.screen(TriageScreen).tests.shown) == "needs attention"


async def test_what_nothing_is_proposed_for_is_said_before_anything_is_asked(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(160, 50), notifications=True) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: len(app.navigation.screen(TriageScreen).tests.changes) == 7, "the tests")
        await pilot.press("f", "f", "f")
        assert [change.ops for change in app.navigation.screen(TriageScreen).tests.changes] == [()]
        for key, verb in (("A", "accept"), ("X", "reject")):
            await pilot.press(key)
            await until(pilot, lambda verb=verb: f"Nothing to {verb}:" in screen_text(app), "the word")  # type: ignore[misc]
            assert app.screen is app.navigation.screen(TriageScreen)
        assert app.session.pending.changes == ()


async def test_a_filter_and_the_way_to_the_test(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: len(app.navigation.screen(TriageScreen).tests.changes) == 7, "the tests")
        await pilot.press("slash")
        await type_text(pilot, "semi-stale")
        await pilot.press("enter", "l", "j")
        assert app.navigation.screen(TriageScreen).listing.current is not None
        await pilot.press("enter")
        await until(pilot, lambda: app.matrix_screen.current == SEMI, "the test in the matrix")


async def test_the_count_beside_the_filter_is_that_of_the_list(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: len(app.navigation.screen(TriageScreen).tests.changes) == 7, "the tests")
        await pilot.press("slash")
        await type_text(pilot, "semi-stale")
        await pilot.press("enter")
        await until(pilot, lambda: "1 of 7 tests" in screen_text(app), "the count")
        await pilot.press("f")
        await until(pilot, lambda: "0 of 1 test" in screen_text(app), "the count of the next list")


async def test_a_machine_that_fails_alone_is_flagged_and_left_out(checkout: Checkout) -> None:
    from core.evidence import Ending

    alone = [
        observed(Ending.FAILED, "no firmware", test_id=id, run="weekly", when=4 * 86400.0, host="f10cs10", arch=arch)
        for id in (STALE, STALE_TOO, FLAKY)
        for arch in ("n150", "p150")
    ]
    keep(checkout, alone)
    app = build_app(checkout)
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "H ignores bad host f10cs10" in screen_text(app), "the flag")
        assert "fixed" not in screen_text(app)
        await pilot.press("H")
        await until(pilot, lambda: "without f10cs10" in screen_text(app), "the judgement without it")
        await until(pilot, lambda: "3 fixed" in screen_text(app), "the stale ones")


async def test_reports_that_another_process_reads_are_seen(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: len(app.navigation.screen(TriageScreen).tests.changes) == 7, "the tests")
        keep(
            checkout, [observed(test_id=SILENT, arch=arch, run=f"n{n}") for arch in ("n150", "p150") for n in range(3)]
        )
        await until(pilot, lambda: len(app.navigation.screen(TriageScreen).tests.changes) == 8, "the new one")


async def test_without_evidence_it_says_where_it_comes_from(tmp_path: Path) -> None:
    from tests.support.sample import sample_checkout

    app = build_app(sample_checkout(tmp_path / "demo"))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "ttmatrix ingest --from-github" in screen_text(app), "the hint")


async def test_the_matrix_shows_what_results_have_shown(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry flaky")
    async with app.run_test(size=(160, 50)) as pilot:
        await until(pilot, lambda: "n150 PxP 2/3 pcc .992  flaky:" in screen_text(app), "the detail")
        app.session.view.columns = ("id", "evidence")
        app.matrix_screen.show_rows()
        await until(pilot, lambda: "n150 PxP 2/3  p150 PxP" in screen_text(app), "the column")


async def test_without_results_it_says_how_to_get_them(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "demo"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("4")
        await until(
            pilot, lambda: "`ttmatrix ingest --from-github` downloads the reports of CI" in screen_text(app), "the hint"
        )
        assert "There are no results yet" in screen_text(app)


async def test_what_a_manifest_is_wrong_about_is_decided_as_well(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    tests = op_tests_of(checkout.root)
    night = [
        result(tests, "skipped", "pass", backend="inductor", expected="skip"),
        result(tests, "plain", "fail", max_abs=5.0, pcc=0.1),
        result(tests, "same", "pass"),
    ]
    keep(checkout, batches(night, night, night))
    app = build_app(checkout, settings=Settings(ops_dirs=("ops",)), op_cases=True)
    async with app.run_test(size=(160, 40), notifications=True) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "m::skipped" in screen_text(app), "the case that need not be skipped")
        text = screen_text(app)
        assert "1 of 2 open" in text and "m::plain" in text and "m::same" not in text, text
        screen = app.navigation.screen(TriageScreen)
        rows = screen.listing.table.rows
        screen.listing.table.cursor = next(
            at
            for at in range(len(rows))
            if any("m::skipped" in cell.text for cells in rows.cells(at) for cell in cells)
        )
        await until(
            pilot, lambda: "ops/m.yaml" in screen_text(app) and "-  - {name: skipped" in screen_text(app), "its diff"
        )
        await pilot.press("r")
        await until(pilot, lambda: any("Op cases run" in one.message for one in app._notifications), "the message")
        await pilot.press("M")
        assert app.session.view.marks == {"m::skipped"}, "a case is marked as a test is"
        await pilot.press("t")
        await until(pilot, lambda: shown_ids(app) == ["m::skipped"], "the case in the matrix")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "the way back")
        await pilot.press("a")
        assert _decided(app) == {"m::skipped": Decision.ACCEPTED}
        await pilot.press("5", "w", "y")
        await until(pilot, lambda: not app.session.pending.changes, "the write")
    assert "skip_if" not in (checkout.root / "ops/m.yaml").read_text()


async def test_what_would_leave_ci_is_accepted_with_the_marker_that_keeps_it_in(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    keep(checkout, list(nights()))
    app = build_app(checkout)
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "3 of 3 open" in screen_text(app), "what is to be decided")
        # It is the second one of what is fixed, and the first that a question about all of these names.
        await pilot.press("j", "a")
        await until(pilot, lambda: "Accept 2 tests?" in screen_text(app), "the question about both")
        worklist = app.navigation.screen(TriageScreen).tests.worklist
        assert worklist is not None
        leaving = next(one.id for one in worklist.proposals if one.leaves)
        # Beside the question there may be what is known of the test.
        asked = screen_text(app).partition("will leave CI")[2]
        assert min((asked.find(one.id), one.id) for one in worklist.proposals if one.id in asked)[1] == leaving
        await pilot.press("escape", "l", "j", "j")
        await until(pilot, lambda: "the marker nightly keeps it in CI: a offers it" in screen_text(app), "the offer")
        await pilot.press("a")
        await until(pilot, lambda: "I accept with the marker that keeps it in CI" in screen_text(app), "the warning")
        assert "1 test will leave CI" in screen_text(app)
        await pilot.press("I")
        await until(pilot, lambda: "2 of 3 open" in screen_text(app), "the decision")
        (change,) = app.session.pending.changes
        assert (change.decision, change.ops[-1].path[-1], change.ops[-1].value) == ("accepted", "markers", ["nightly"])
        assert change.cause == "fixed since nightly-1"
        await until(pilot, lambda: "will leave CI" not in screen_text(app), "no warning any more")
        await pilot.press("5")
        await until(pilot, lambda: "markers: [nightly]" in screen_text(app), "the marker in the diff")
        assert "keeps it in CI" in screen_text(app)


async def test_a_threshold_is_typed_over_in_triage_and_in_the_review(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("4", "slash")
        await type_text(pilot, "pcc-tight")
        await pilot.press("enter")
        await until(pilot, lambda: "grade 4 of 5: was inaccurate" in screen_text(app), "what its grade rests on")
        await pilot.press("p")
        await until(pilot, lambda: "Which threshold?" in screen_text(app), "the question")
        await pilot.press("ctrl+u")
        await type_text(pilot, "1.5")
        await pilot.press("enter")
        await until(pilot, lambda: "is no threshold" in screen_text(app), "why not")
        await pilot.press("ctrl+u")
        await type_text(pilot, "0.955")
        await pilot.press("enter")
        assert _decided(app) == {TIGHT: Decision.ACCEPTED}
        await pilot.press("5")
        await until(
            pilot, lambda: re.search(r"gate 0.99 -> 0.955, lowest 0.9\d+", screen_text(app)) is not None, "the gate"
        )
        assert "grade 4 of 5: was inaccurate" in screen_text(app), "in the review too"
        await pilot.press("p", "ctrl+u")
        await type_text(pilot, "0.965")
        await pilot.press("enter")
        await until(pilot, lambda: "gate 0.99 -> 0.965" in screen_text(app), "the other gate")
        (change,) = app.session.pending.changes
        assert (change.ops[0].path, change.ops[0].value, change.decision) == (
            ("required_pcc",),
            0.965,
            Decision.ACCEPTED,
        )


@pytest.fixture
def broken(tmp_path: Path) -> Checkout:
    """Six tests that broke with one error, each with its own numbers, and two that begin to pass."""
    return morning_checkout(tmp_path / "tt-xla", {Fate.BREAKS: 6, Fate.BEGINS: 2, Fate.AGREES: 6})


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_one_dialog_decides_a_group_but_for_what_is_left_out(broken: Checkout, size: tuple[int, int]) -> None:
    app = build_app(broken)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "6 broke" in screen_text(app), "the group")
        await pilot.press("l", "j", "space")
        await until(pilot, lambda: "- out" in screen_text(app), "the test that is left out")
        await pilot.press("k", "k", "E")
        await until(pilot, lambda: "enter accept 5 tests" in screen_text(app), "the dialog")
        assert "each test keeps its own" in screen_text(app) and "as proposed: XFAIL" in screen_text(app)
        # The reasons of the tests are offered, what they share first; the person's own words follow it.
        await pilot.press("down", "right")
        await until(pilot, lambda: "1 of 6: Out of Memory: not enough space" in screen_text(app), "what they share")
        await pilot.press("up", "end")
        await type_text(pilot, " since the uplift")
        await pilot.press("down", "down", "right", "right", "down")
        await type_text(pilot, "nonsense!")
        await pilot.press("enter")
        await until(pilot, lambda: "is not an issue reference" in screen_text(app), "what is wrong")
        await pilot.press("ctrl+u")
        await type_text(pilot, "tt-mlir#42")
        await pilot.press("down", "right", "enter")
        await until(pilot, lambda: len(app.session.pending.accepted()) == 5, "the decision")
        assert {change.decision for change in app.session.pending.changes} == {Decision.ACCEPTED}
        change = app.session.pending.changes[0]
        assert {op.path[-1]: (op.path[:-1], op.value) for op in change.ops} == {
            "status": (("arch_overrides", "n150"), "NOT_SUPPORTED_SKIP"),
            "bringup_status": (("arch_overrides", "n150"), "FAILED_RUNTIME"),
            "reason": (
                ("arch_overrides", "n150"),
                "Out of Memory: not enough space for a DRAM buffer since the uplift"
                " - https://github.com/tenstorrent/tt-mlir/issues/42",
            ),
        }
        assert len({change.cause for change in app.session.pending.changes}) == 1
        await pilot.press("u")
        await until(pilot, lambda: not app.session.pending.changes, "one step of undo")


async def test_after_a_group_comes_the_next_one_and_another_decision_replaces_the_first(broken: Checkout) -> None:
    app = build_app(broken)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "6 broke" in screen_text(app), "the group")
        await pilot.press("a", "y")
        screen = app.navigation.screen(TriageScreen)
        await until(pilot, lambda: screen.listing.table.cursor == 1, "what is fixed")
        assert len(app.session.pending.accepted()) == 6
        await pilot.press("k", "E")
        await until(pilot, lambda: "enter accept 6 tests" in screen_text(app), "the dialog")
        await type_text(pilot, "The same for all")
        await pilot.press("enter")

        def reasons() -> set[object]:
            return {op.value for one in app.session.pending.changes for op in one.ops if "reason" in op.path}

        await until(pilot, lambda: reasons() == {"The same for all"}, "the one reason")
        assert len(app.session.pending.accepted()) == 6, "replaced, and not added"


async def test_the_tests_of_a_group_are_shown_and_marked_in_the_matrix(broken: Checkout) -> None:
    app = build_app(broken)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "6 broke" in screen_text(app), "the group")
        ids = sorted(names({Fate.BREAKS: 6})[Fate.BREAKS])
        await pilot.press("M")
        await until(pilot, lambda: app.session.view.marks == set(ids), "the marks")
        await pilot.press("t")
        await until(pilot, lambda: shown_ids(app) == ids, "these and no others")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.navigation.screen(TriageScreen), "the way back")


async def test_what_is_worth_a_rerun_is_one_key(tmp_path: Path) -> None:
    # Six broke together on both archs, which is enough; two on one machine and one arch, which may be the machine.
    app = build_app(morning_checkout(tmp_path / "tt-xla", {Fate.BREAKS: 6, Fate.ON_ONE_HOST: 2, Fate.AGREES: 6}))
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "8 of 8 open" in screen_text(app), "the tests")
        await pilot.press("R")
        await until(pilot, lambda: "worth a rerun: 2 of 2 open" in screen_text(app), "the list")
        await pilot.press("R")
        await until(pilot, lambda: "8 of 8 open" in screen_text(app), "all again")
