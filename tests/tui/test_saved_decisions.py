# SPDX-License-Identifier: Apache-2.0
"""Decisions are saved: after a quit, in a second instance; and if they cannot be saved, that is reported."""

from pathlib import Path
from threading import Event

import pytest

from core.edits.pending import Decision
from core.sources import Checkout
from tests.support.app import build_app, own_checkout, screen_text, until
from tests.support.tree import INFERENCE, YAML, sample
from tui.app.app import TTMatrixApp

ORG = "org/name has:entry"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return own_checkout(sample(tmp_path / "tt-xla").root)


def _decisions(app: TTMatrixApp) -> list[Decision]:
    return [change.decision for change in app.session.pending.changes]


@pytest.mark.slow("a job over several screens")
async def test_decisions_undo_and_marks_outlive_the_app(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("E", "right", "enter", "space", "5", "a", "x", "u", "1", "q")
        await until(pilot, lambda: not app.is_running, "the end: nothing is lost, so nothing is asked")
    again = build_app(checkout, query=ORG)
    async with again.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "1 pending" in screen_text(again), "the pending change")
        assert "1 marked" in screen_text(again)
        assert _decisions(again) == [Decision.ACCEPTED]
        await pilot.press("5", "U")
        assert _decisions(again) == [Decision.REJECTED]
        await pilot.press("u", "u", "u")
        assert _decisions(again) == []


async def test_marks_on_op_cases_that_are_read_late_outlive_the_app(checkout: Checkout) -> None:
    directory = checkout.root / "tests/op_manifests"
    directory.mkdir(parents=True)
    (directory / "m.yaml").write_text("cases: [{name: a, op: torch.neg, inputs: [{tensor: {shape: [2]}}]}]\n")
    app = build_app(checkout, op_cases=True, query="kind:op")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "m::a" in screen_text(app), "the op case")
        await pilot.press("space", "q")
        await until(pilot, lambda: not app.is_running, "the end")
    # The first frame has the tests of models alone, and a mark is made before the op cases come.
    again = build_app(checkout, query=ORG)
    async with again.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: again.session.awaited_marks == {"m::a"}, "what was marked is known")
        await pilot.press("space")
        assert again.session.bench.state.marks == {"m::a", *again.session.view.marks}
        with_cases = build_app(checkout, op_cases=True).session.view.matrix
        again._replace(again.session.workspace.replaced(with_cases), {})
        assert "m::a" in again.session.view.marks and len(again.session.view.marks) == 2
        await pilot.press("ctrl+n")
        assert again.session.bench.state.marks == frozenset()


async def test_two_instances_see_each_others_decisions(checkout: Checkout) -> None:
    one = build_app(checkout, query=ORG)
    async with one.run_test(size=(80, 24)) as pilot:
        other = build_app(checkout, query=ORG)
        other.session.bench.propose([], "elsewhere", other.session.present)
        await until(pilot, lambda: "1 pending" in screen_text(one), "the change of the other instance")
        await pilot.press("5", "a")
        assert other.session.bench.catch_up()
        assert _decisions(other) == [Decision.ACCEPTED]


async def test_what_another_instance_does_before_the_first_look_is_seen(checkout: Checkout) -> None:
    one, other = (build_app(checkout, query=ORG) for _ in range(2))
    assert not one.session.pending.changes, "what is saved has been read"
    other.session.bench.propose([], "elsewhere", other.session.present)
    other.session.bench.mark(one.session.view.matrix.ids[:1])
    async with one.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "1 pending" in screen_text(one), "the change of the other instance")
        await until(pilot, lambda: "1 marked" in screen_text(one), "its mark")


async def test_two_instances_see_each_others_marks(checkout: Checkout) -> None:
    one, other = (build_app(checkout, query=ORG) for _ in range(2))
    async with one.run_test(size=(80, 24)) as pilot:
        await pilot.press("space")
        await until(pilot, lambda: "1 marked" in screen_text(one), "its own mark")
        (own,) = one.session.view.marks
        session = other.session
        session.restore_marks()
        assert session.view.marks == {own}
        another = next(id for id in session.matrix.ids if id != own)
        session.view.marks.add(another)
        other.edits.save_marks()
        await until(pilot, lambda: "2 marked" in screen_text(one), "the mark of the other instance")
        assert one.session.view.marks == {own, another}
        session.view.marks.remove(own)
        other.edits.save_marks()
        await until(pilot, lambda: one.session.view.marks == {another}, "what the other instance has unmarked")
        await until(pilot, lambda: "1 marked" in screen_text(one), "the number")
        assert one.session.bench.state.marks == {another}


async def test_a_mark_made_just_after_another_instances_keeps_both(checkout: Checkout) -> None:
    one, other = (build_app(checkout, query=ORG) for _ in range(2))
    first, second = one.session.matrix.ids[:2]
    for app, id in ((one, first), (other, second)):
        app.session.restore_marks()
        app.session.view.marks.add(id)
        app.edits.save_marks()
    assert other.session.view.marks == {first, second}
    one.session.bench.catch_up()
    one.session.take_marks_elsewhere()
    assert one.session.view.marks == {first, second}


@pytest.mark.slow("a job over several screens")
async def test_a_commit_is_taken_back_by_a_proposal(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("E", "right", "enter", "5", "a", "c")
        await until(pilot, lambda: "Commit 1 test" in screen_text(app), "the message")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Committed" in screen_text(app), "the commit")
        await pilot.press("u")
        await until(pilot, lambda: "+    status: NOT_SUPPORTED_SKIP" in screen_text(app), "the inverse")
        assert _decisions(app) == [Decision.UNDECIDED]


async def test_a_change_that_was_made_upstream_is_dropped_with_a_word(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("E", "right", "enter")
        (op,) = app.session.pending.changes[0].ops
        (checkout.test_config / INFERENCE).write_text(YAML[INFERENCE].replace("NOT_SUPPORTED_SKIP", str(op.value)))
        await pilot.press("f5")
        await until(pilot, lambda: "1 change already in the files" in screen_text(app), "the word")
        assert app.session.pending.changes == ()


async def test_what_cannot_be_saved_is_reported_once_and_asked_before_it_is_lost(
    checkout: Checkout, own_home: Path
) -> None:
    (own_home / "state").mkdir()
    (own_home / "state" / "journal").write_text("in the way")
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until(pilot, lambda: "Pending changes cannot be saved" in screen_text(app), "the word")
        await pilot.press("E", "right", "enter", "5", "a")
        assert _decisions(app) == [Decision.ACCEPTED]
        await pilot.press("1", "q")
        await until(pilot, lambda: "lose pending changes" in screen_text(app), "the question")
        await pilot.press("y")
        await until(pilot, lambda: not app.is_running, "the end")


async def test_marks_cleared_before_they_are_read_do_not_come_back(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("space")
    again, read, done = build_app(checkout, query=ORG), Event(), Event()
    bring_in, started = again._bring_in, again._started

    def read_late() -> None:
        read.wait(60)
        bring_in()

    def say_when_started() -> None:
        started()
        done.set()

    monkeypatch.setattr(again, "_bring_in", read_late)
    monkeypatch.setattr(again, "_started", say_when_started)
    async with again.run_test(size=(80, 24)) as pilot:
        assert not again.session.marks_known
        await pilot.press("ctrl+n")
        read.set()
        await until(pilot, done.is_set, "what follows the start")
        assert (again.session.view.marks, again.session.bench.state.marks) == (set(), frozenset())
