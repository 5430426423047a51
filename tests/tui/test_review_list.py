# SPDX-License-Identifier: Apache-2.0
"""The review of many changes: groups, the filter, the counter, editing in place, and the end of it."""

from collections.abc import Callable
from pathlib import Path
from time import thread_time

import pytest

from core.edits import EditPlan, Operation, OpKind
from core.edits.pending import Decision, workbench
from core.edits.planning import write
from core.sources import Checkout
from tests.support.app import SIZES, build_app, own_checkout, screen_text, type_text, until
from tests.support.tree import INFERENCE, TRAINING, sample
from tui.app.app import TTMatrixApp
from tui.screens.review import ReviewScreen

TINY = "alpha/pytorch-tiny-single_device-inference"
NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"
NAME = "alpha/pytorch-org/name-single_device-inference"
TRAIN = "alpha/pytorch-tiny-single_device-training"
_KEY_SECONDS = 0.05


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return own_checkout(sample(tmp_path / "tt-xla").root)


def _set(id: str, file: str, field: str, value: object) -> Operation:
    return Operation(OpKind.SET, id, file, (field,), value)


def _app(checkout: Checkout, *operations: Operation, note: str = "") -> TTMatrixApp:
    app = build_app(checkout)
    for operation in operations:
        app.session.bench.propose([operation], note, app.session.present)
    return app


def _three(checkout: Checkout, note: str = "") -> TTMatrixApp:
    skip = "NOT_SUPPORTED_SKIP"
    operations = (
        _set(TINY, INFERENCE, "status", skip),
        _set(TRAIN, TRAINING, "status", skip),
        _set(NAME, INFERENCE, "reason", "needs too much DRAM"),
    )
    return _app(checkout, *operations, note=note)


def _decisions(app: TTMatrixApp) -> str:
    return "".join(change.decision[0] for change in app.session.pending.changes)


@SIZES
async def test_before_and_after_with_effect_and_reason(checkout: Checkout, size: tuple[int, int]) -> None:
    app = _three(checkout, "seen [bold]3 times\x1b[31m")
    async with app.run_test(size=size) as pilot:
        await pilot.press("5", "G")
        await until(pilot, lambda: '-    reason: "Too large for single chip"' in screen_text(app), "before")
        assert '+    reason: "needs too much DRAM"' in screen_text(app)
        beside = any("-    reason" in line and "+    reason" in line for line in screen_text(app).splitlines())
        assert beside == (size[0] >= 120)
        assert "   2 cells: reason" in screen_text(app)
        assert "why: seen [bold]3 times\N{REPLACEMENT CHARACTER}[31m" in screen_text(app)


async def test_a_group_is_decided_after_its_count_was_shown(checkout: Checkout) -> None:
    app = _three(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "m", "g")
        await until(pilot, lambda: "2 changes: 2 open" in screen_text(app), "the groups")
        await pilot.press("A")
        await until(pilot, lambda: "Accept 2 changes?" in screen_text(app), "the count")
        assert "status = NOT_SUPPORTED_SKIP" in screen_text(app)
        assert screen_text(app).count("alpha/pytorch-") >= 2, "which they are"
        await pilot.press("y")
        assert _decisions(app) == "aau"
        await pilot.press("u")
        assert _decisions(app) == "uuu"
        # After a group the cursor is on the next one that is open.
        await pilot.press("g", "l", "j", "x", "h", "A")
        await until(pilot, lambda: "Accept 1 change?" in screen_text(app), "the rest")
        await pilot.press("y")
        assert _decisions(app) == "rau"


async def test_groups_go_round_and_fold(checkout: Checkout) -> None:
    app = _three(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("5")
        for name, rows in (("change", 2), ("loader", 1), ("reason", 3)):
            await pilot.press("m")
            await until(pilot, lambda name=name: f"test, by {name}" in screen_text(app), name)  # type: ignore[misc]
            assert len(app.navigation.screen(ReviewScreen).listing.table.rows) == rows
            await pilot.press("plus")
            assert len(app.navigation.screen(ReviewScreen).listing.table.rows) == rows + 3
            await pilot.press("underscore")
            assert len(app.navigation.screen(ReviewScreen).listing.table.rows) == rows
        await pilot.press("m")
        assert len(app.navigation.screen(ReviewScreen).listing.table.rows) == 3


async def test_only_what_the_filter_shows_is_decided(checkout: Checkout) -> None:
    app = _three(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "slash")
        await type_text(pilot, "tiny skip")
        await until(pilot, lambda: "2 of 3 changes" in screen_text(app), "what is found")
        await pilot.press("enter", "A", "y")
        assert _decisions(app) == "aau"
        await pilot.press("escape", "G")
        await until(pilot, lambda: "3 of 3 ━" in screen_text(app), "all of them")
        assert app.screen is app.navigation.screen(ReviewScreen)


async def test_every_decision_leads_to_the_next(checkout: Checkout) -> None:
    app = _three(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "g", "s", "a", "x", "n", "N", "a")
        assert _decisions(app) == "aar"
        await pilot.press("s")
        await until(pilot, lambda: "3 pending" not in screen_text(app), "the decisions")


async def test_a_proposal_is_edited_in_place_in_one_step(checkout: Checkout) -> None:
    app = _three(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "G", "a", "G", "E")
        await until(pilot, lambda: "enter propose" in screen_text(app), "the form")
        await pilot.press("down", "down", "end")
        await type_text(pilot, " and time")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.navigation.screen(ReviewScreen), "the review")
        change = app.session.pending.changes[2]
        assert change.ops == (_set(NAME, INFERENCE, "reason", "needs too much DRAM and time"),)
        assert change.decision is Decision.ACCEPTED
        await pilot.press("u")
        assert app.session.pending.changes[2].ops == (_set(NAME, INFERENCE, "reason", "needs too much DRAM"),)


async def test_an_entry_that_goes_has_no_fields_to_edit(checkout: Checkout) -> None:
    app = _app(checkout, Operation(OpKind.REMOVE, TINY, INFERENCE))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "E")
        await until(pilot, lambda: "It has no fields to edit" in screen_text(app), "the reason")


async def test_the_end_is_read_from_the_files(checkout: Checkout) -> None:
    app = _three(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "A", "y", "G", "x", "w", "y")
        await until(pilot, lambda: "Verified on disk: 2 of 2 changes" in screen_text(app), "what is found")
        assert "wrote tests/runner/test_config/" in screen_text(app)
        await pilot.press("c")
        await until(pilot, lambda: "Commit 2 tests" in screen_text(app), "the message")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "committed " in screen_text(app), "the commit")
        assert "Verified on disk: 2 of 2 changes" in screen_text(app)


async def test_what_is_written_and_what_is_committed_is_said_as_changes(checkout: Checkout) -> None:
    app = build_app(checkout)
    both = _set(TINY, INFERENCE, "status", "NOT_SUPPORTED_SKIP"), _set(TINY, INFERENCE, "reason", "too large")
    app.session.bench.propose(both, "", app.session.present)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "a", "w", "y")
        await until(pilot, lambda: "written, not committed yet" in screen_text(app), "the headline")
        assert "Verified on disk: 1 of 1 change" in screen_text(app)
        assert "c commits it" in screen_text(app) and "E in the matrix" not in screen_text(app)
        await pilot.press("c")
        await until(pilot, lambda: "Commit 1 test" in screen_text(app), "the message")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "─ committed ─" in screen_text(app), "the headline")
        assert "Verified on disk: 1 of 1 change" in screen_text(app)
        await until(pilot, lambda: "Nothing is pending: E in the matrix" in screen_text(app), "what to do next")


async def test_above_the_changes_that_stay_each_thing_has_a_line(checkout: Checkout) -> None:
    app = _three(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "g", "a", "w", "y")
        await until(pilot, lambda: "Verified on disk: 1 of 1 change" in screen_text(app), "what is found")
        lines = [line.strip() for line in screen_text(app).splitlines()]
        first = lines.index("Verified on disk: 1 of 1 change")
        assert lines[first + 1] == "wrote tests/runner/test_config/torch/test_config_inference_single_device.yaml"
        assert lines[first + 2] == "c commits it, u proposes to undo it"


async def test_a_filter_that_leaves_nothing_says_how_to_clear_it(checkout: Checkout) -> None:
    app = _three(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "slash")
        await type_text(pilot, "nowhere")
        await pilot.press("enter")
        await until(pilot, lambda: "No change matches the filter: esc clears it." in screen_text(app), "what to do")
        assert "Nothing is pending" not in screen_text(app)


@pytest.mark.slow("a job over several screens")
async def test_what_somebody_took_back_at_once_is_missed(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    app = _three(checkout)
    path = checkout.test_config / TRAINING
    before = path.read_text()

    def write_in_vain(planned: EditPlan, test_config: Path) -> tuple[Path, ...]:
        done = write(planned, test_config)
        path.write_text(before)
        return done

    monkeypatch.setattr(workbench, "write", write_in_vain)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "A", "y", "w", "y")
        await until(pilot, lambda: "Verified on disk: 2 of 3 changes" in screen_text(app), "what is found")
        assert f"NOT in the files: {TRAIN}" in screen_text(app)


@pytest.mark.slow("a job over several screens")
async def test_five_hundred_changes_stay_quick(checkout: Checkout) -> None:
    app = build_app(checkout)
    ids = (TINY, NET, NAME)
    for number in range(500):
        operation = _set(ids[number % 3], INFERENCE, "reason", f"words {number % 7}")
        app.session.bench.propose([operation], "", app.session.present)
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("5")
        await until(pilot, lambda: "1 of 500 ━" in screen_text(app), "the first")
        screen = app.navigation.screen(ReviewScreen)
        words = iter(("words 1", "words 2", "words 3"))
        best: dict[str, float] = {}
        acts: dict[str, Callable[[], None]] = {
            "accept": screen.action_accept,
            "next": lambda: screen.action_next_undecided(1),
            "group": screen.action_group,
            "unfold": lambda: screen.listing.table.action_fold_all(True),
            "filter": lambda: setattr(screen.listing.filter.input, "value", next(words)),
        }
        for name, act in acts.items():
            times = []
            for _ in range(3):
                began = thread_time()
                act()
                times.append(thread_time() - began)
                await pilot.pause()
            best[name] = min(times)
        assert max(best.values()) < _KEY_SECONDS, best
