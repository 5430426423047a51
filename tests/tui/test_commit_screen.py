# SPDX-License-Identifier: Apache-2.0
"""The commit screen: messages to edit, several commits, and a validator that complains."""

from pathlib import Path

import pytest
from textual import events
from textual.widgets import TextArea

from core.edits import Operation, OpKind
from core.edits.commit.validator import VALIDATOR
from core.edits.pending import Change, Decision
from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.git import committed_checkout, git
from tests.support.tree import INFERENCE, TRAINING, YAML, sample
from tui.app.app import TTMatrixApp
from tui.screens.review import ReviewScreen
from tui.widgets import DialogBox

TINY = "alpha/pytorch-tiny-single_device-inference"
TRAIN = "alpha/pytorch-tiny-single_device-training"
WHY = Operation(OpKind.SET, TINY, INFERENCE, ("reason",), "why")
PASS = Operation(OpKind.SET, TRAIN, TRAINING, ("status",), "EXPECTED_PASSING")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def _app(checkout: Checkout, *operations: Operation) -> TTMatrixApp:
    app = build_app(committed_checkout(checkout))
    bench = app.session.bench
    bench.propose(operations, "", app.session.present)
    bench.decide(Decision.ACCEPTED, [change.id for change in bench.pending.changes])
    return app


@pytest.mark.parametrize("size", [(80, 24), (150, 40)])
async def test_a_commit_for_each_reason_with_own_words(checkout: Checkout, size: tuple[int, int]) -> None:
    app = _app(checkout, WHY, PASS)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.press("5", "c")
        await until(pilot, lambda: "Update expectations of 2 tests" in screen_text(app), "the message")
        assert "torch/inference_single_device, torch/training_single_device" in screen_text(app)
        assert "esc cancel" in screen_text(app)
        await pilot.press("shift+tab", "right")
        await until(pilot, lambda: "1 of 2" in screen_text(app), "two commits")
        await pilot.press("tab")
        await type_text(pilot, "now ")
        await pilot.press("ctrl+n")
        await until(pilot, lambda: "2 of 2" in screen_text(app), "the second message")
        await pilot.press("ctrl+p")
        await until(pilot, lambda: "now Update reason of" in screen_text(app), "the first message")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: not app.session.pending.changes, "the commits")
    assert git(checkout.root, "log", "--format=%s", "-2").splitlines() == [
        f"Expect {TRAIN} to pass",
        f"now Update reason of {TINY}",
    ]
    assert git(checkout.root, "status", "--porcelain") == ""


@pytest.mark.parametrize("size", [(80, 24), (200, 55)])
async def test_the_box_is_as_large_as_its_message_and_what_is_said(checkout: Checkout, size: tuple[int, int]) -> None:
    (checkout.root / VALIDATOR).write_text("print('ERROR: bad entry\\n' * 9)\nraise SystemExit(1)\n")
    app = _app(checkout, PASS)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.press("5", "c")
        await until(pilot, lambda: "Commit 1 test" in screen_text(app), "the message")
        await pilot.pause()
        box, message = app.screen.query_one(DialogBox), app.screen.query_one(TextArea)
        lines = message.text.count("\n") + 1
        assert lines < message.size.height <= lines + 3, "its lines, and room for some more"
        small = box.outer_size
        await pilot.press("ctrl+s")
        await until(pilot, lambda: screen_text(app).count("ERROR: bad entry") == 9, "all that is said")
        assert "esc cancel" in screen_text(app) and "^s again commits anyway." in screen_text(app)
        assert box.outer_size.height > small.height and message.size.height >= 1


async def test_the_validators_complaint_stops_it_once(checkout: Checkout) -> None:
    (checkout.root / VALIDATOR).write_text("print('ERROR: bad entry')\nraise SystemExit(1)\n")
    app = _app(checkout, PASS)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("5", "c")
        await until(pilot, lambda: "Commit 1 test" in screen_text(app), "the message")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "ERROR: bad entry" in screen_text(app), "the complaint")
        await until(pilot, lambda: "Nothing was written or committed" in screen_text(app), "what became of it")
        assert (checkout.test_config / TRAINING).read_text() == YAML[TRAINING]
        await pilot.press("ctrl+s")
        await until(pilot, lambda: not app.session.pending.changes, "the commit")
    assert git(checkout.root, "show", "--name-only", "--format=").split() == [f"tests/runner/test_config/{TRAINING}"]


async def test_what_is_to_know_of_a_commit_is_shown_and_closed(checkout: Checkout) -> None:
    app = _app(checkout, PASS)
    git(checkout.root, "checkout", "--detach")
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.press("5", "c")
        await until(pilot, lambda: "Commit 1 test" in screen_text(app), "the message")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "git switch -c NAME" in screen_text(app), "that there is no branch")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.navigation.screen(ReviewScreen), "the review")
    assert git(checkout.root, "rev-list", "--count", "HEAD").strip() == "2"


async def test_keys_typed_ahead_are_for_the_message(checkout: Checkout) -> None:
    app = _app(checkout, WHY)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen), "the review")
        driver = app._driver
        assert driver is not None
        for key in (events.Key("c", "c"), events.Key("N", "N"), events.Key("ctrl+s", None)):
            key.set_sender(app)
            driver.send_message(key)
        await until(pilot, lambda: not app.session.pending.changes, "the commit")
    assert git(checkout.root, "log", "--format=%s", "-1").strip() == f"NUpdate reason of {TINY}"


async def test_leaving_commits_nothing(checkout: Checkout) -> None:
    app = _app(checkout, PASS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "c")
        await until(pilot, lambda: "Commit 1 test" in screen_text(app), "the message")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.navigation.screen(ReviewScreen), "the review")
        assert len(app.session.pending.changes) == 1
    assert git(checkout.root, "rev-list", "--count", "HEAD").strip() == "1"


async def test_an_edited_message_is_dropped_only_when_asked_twice(checkout: Checkout) -> None:
    app = _app(checkout, PASS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "c")
        await until(pilot, lambda: "Commit 1 test" in screen_text(app), "the message")
        await type_text(pilot, "N")
        await pilot.press("escape")
        await until(pilot, lambda: "esc again drops the message" in screen_text(app), "the warning")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.navigation.screen(ReviewScreen), "the review")
    assert git(checkout.root, "rev-list", "--count", "HEAD").strip() == "1"


async def test_what_is_typed_stays_while_another_split_is_tried(checkout: Checkout) -> None:
    app = _app(checkout, WHY, PASS)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "c")
        await until(pilot, lambda: "Update expectations of 2 tests" in screen_text(app), "the message")
        await type_text(pilot, "mine: ")
        await pilot.press("shift+tab", "right")
        await until(pilot, lambda: "1 of 2" in screen_text(app), "two commits")
        assert "mine: " not in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: "esc again drops the message" in screen_text(app), "the warning")
        await pilot.press("left")
        await until(pilot, lambda: "mine: Update expectations of 2 tests" in screen_text(app), "the own message")
        await until(pilot, lambda: "esc again" not in screen_text(app), "no warning")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: not app.session.pending.changes, "the commit")
    assert git(checkout.root, "log", "--format=%s", "-1").strip() == "mine: Update expectations of 2 tests"


async def test_the_text_of_a_pull_request_is_copied(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    app = _app(checkout, PASS)
    copied: list[str] = []
    monkeypatch.setattr(app.notifications, "copy", copied.append)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "c")
        await until(pilot, lambda: "Commit 1 test" in screen_text(app), "the message")
        await pilot.press("ctrl+t")
        await until(pilot, lambda: bool(copied), "the copy")
    assert copied[0].startswith(f"# Expect {TRAIN} to pass\n")


async def test_what_follows_from_several_causes_is_a_commit_for_each(checkout: Checkout) -> None:
    app = build_app(committed_checkout(checkout))
    changes = [Change((WHY,), cause="broke since nightly-9"), Change((PASS,), cause="fixed since nightly-9")]
    app.session.bench.propose_decided(Decision.ACCEPTED, changes, app.session.present)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5")
        await until(pilot, lambda: "test, by cause" in screen_text(app), "the review, by cause")
        # Written first: what is not committed yet keeps its cause.
        await pilot.press("w", "y")
        await until(pilot, lambda: not app.session.pending.changes, "the write")
        await pilot.press("c")
        await until(pilot, lambda: "one per cause" in screen_text(app), "the split")
        await until(pilot, lambda: "1 of 2" in screen_text(app), "two commits")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: not app.session.uncommitted, "the commits")
    assert git(checkout.root, "rev-list", "--count", "HEAD").strip() == "3"
