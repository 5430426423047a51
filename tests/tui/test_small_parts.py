# SPDX-License-Identifier: Apache-2.0
"""The file of the last copy, cycling through options, threads that fail, and messages."""

import gc
import time
import weakref
from functools import partial
from pathlib import Path

import pytest
from textual.app import ComposeResult
from textual.notifications import Notification
from textual.widgets._toast import Toast

from core.base.errors import TTMatrixError
from core.sources import Checkout
from tests.support.app import ThemedApp, build_app, screen_text, type_text, until
from tests.support.recorded import record_runs
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.app.bridge import WorkDone
from tui.app.notifications import save_copy
from tui.app.polling import Looker, Seen
from tui.commands import Where
from tui.screens import Ask, SessionScreen, WorkflowsScreen
from tui.widgets import Cycle, PaneRule


def test_copies_are_saved(tmp_path: Path) -> None:
    saved = save_copy(tmp_path / "cache", "one")
    assert save_copy(tmp_path / "cache", "two") == saved
    assert saved.read_text() == "two"


async def test_cycle_goes_round() -> None:
    class CycleApp(ThemedApp):
        def compose(self) -> ComposeResult:
            yield Cycle([("", "none"), ("a", "A"), ("b", "B")], "a", id="cycle")

    app = CycleApp()
    async with app.run_test() as pilot:
        cycle = app.query_one(Cycle)
        seen = [cycle.value]
        for key in ("right", "right", "left"):
            await pilot.press(key)
            seen.append(cycle.value)
        assert seen == ["a", "b", "", "b"]
        cycle.value = "unknown"
        assert cycle.value == ""


async def test_a_title_has_as_much_of_an_id_as_there_is_room_for_after_a_resize() -> None:
    id = "llama/causal_lm/pytorch-3.1_8B_Instruct-llm_prefill-seq_2048-batch_4-single_device-inference"

    class RuleApp(ThemedApp):
        def compose(self) -> ComposeResult:
            yield PaneRule()

    app = RuleApp()
    async with app.run_test(size=(60, 4)) as pilot:
        rule = app.query_one(PaneRule)
        rule.say_test(id, "FAIL", "no output")
        assert "3.1_8B_Instruct" in rule.words[0] and len(rule.words[0]) <= 60 - len("FAIL") - len("no output")
        await pilot.resize_terminal(160, 4)
        assert [*rule.words] == [id, "FAIL", "no output"]
        rule.say("9 runs")
        await pilot.resize_terminal(60, 4)
        assert [*rule.words] == ["9 runs"]


async def test_a_failure_in_a_thread_becomes_a_notice(tmp_path: Path) -> None:
    checkout: Checkout = sample(tmp_path)
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:

        def fail() -> None:
            raise TTMatrixError("It broke", "there", "fix it")

        app.background.run("work", fail, lambda _: None)
        await until(pilot, lambda: "It broke" in screen_text(app), "the notice")
        await pilot.press("escape")
        assert app.screen is app.matrix_screen


async def test_what_a_thread_was_asked_for_does_not_outlive_it(tmp_path: Path) -> None:
    class Held:
        """Something large."""

    app, done, held = build_app(sample(tmp_path)), list[int](), Held()
    seen = weakref.ref(held)

    def take(held: Held, result: int) -> None:
        done.append(result)

    async with app.run_test(size=(80, 24)) as pilot:
        # As in the app, where the collector rarely runs, so that cycles stay alive.
        gc.disable()
        try:
            app.background.run("work", partial(id, held), partial(take, held))
            del held
            await until(pilot, lambda: bool(done), "the result")
            await until(pilot, lambda: seen() is None, "nobody holds it")
        finally:
            gc.enable()


def test_a_copy_that_cannot_be_saved_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TTMatrixError, match="Cannot make"):
        save_copy(tmp_path / "file" / "cache", "text")


async def test_state_that_cannot_be_read_is_reported_once_and_the_matrix_works(
    tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own_home / "state").write_text("in the way")
    (own_home / "cache").write_text("in the way")
    looks: list[None] = []
    look = Looker.look

    def counting(looker: Looker) -> Seen:
        looks.append(None)
        return look(looker)

    monkeypatch.setattr(Looker, "look", counting)
    app = build_app(sample(tmp_path), query="tiny has:entry")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: "Cannot read" in screen_text(app), "the notice")
        await pilot.press("escape")
        seen = len(looks)
        # What the second of them found has been taken in once the third has begun.
        await until(pilot, lambda: len(looks) >= seen + 3, "three more looks at the state")
        assert app.screen is app.matrix_screen
        await pilot.press("j", "y")
        await until(pilot, lambda: "Cannot make" in screen_text(app), "why the copy is not saved")
        await pilot.press("r")
        await until(pilot, lambda: "Cannot queue in" in screen_text(app), "why nothing runs")


class Plain(SessionScreen):
    PLACES = (Where.WORKFLOWS,)

    def compose(self) -> ComposeResult:
        yield self.top


async def test_a_timer_does_nothing_without_the_widgets(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path / "tt-xla"))
    async with app.run_test() as pilot:
        await pilot.press("9")
        await until(pilot, lambda: isinstance(app.screen, WorkflowsScreen), "the screen")
        screen = app.screen
        assert isinstance(screen, WorkflowsScreen)
        gone = WorkflowsScreen(screen.context)  # As at the end: a screen whose widgets are not, or no longer, there.
        going = Plain(screen.context)
        await app.push_screen(going)
        popped, removed = app.pop_screen(), going.remove()
        assert going.query("#title")
        ticks: list[str] = []
        for one, name in ((screen, "shown"), (gone, "gone"), (going, "going")):
            one.with_widgets(lambda name=name: ticks.append(name))()  # type: ignore[misc]
        assert ticks == ["shown"]
        await popped
        await removed


async def test_what_is_done_while_the_app_ends_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = build_app(sample(tmp_path / "tt-xla"))
    delivered: list[object] = []
    async with app.run_test():
        with monkeypatch.context() as ending:
            ending.setattr(TTMatrixApp, "is_running", False)
            app.on_work_done(WorkDone(delivered.append, "late"))
        app.on_work_done(WorkDone(delivered.append, "in time"))
    assert delivered == ["in time"]


async def test_typing_replaces_an_answer_that_is_offered(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path / "tt-xla"))
    answers: list[str | None] = []
    async with app.run_test() as pilot:
        for keys in (["n", "e", "w"], ["end", "e", "r"]):
            app.push_screen(Ask("Which issue?", value="old"), answers.append)
            await until(pilot, lambda: isinstance(app.screen, Ask), "the question")
            await pilot.press(*keys, "enter")
            await until(pilot, lambda: not isinstance(app.screen, Ask), "the answer")
    assert answers == ["new", "older"]


async def test_a_message_covers_neither_the_keys_nor_what_one_types(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_runs(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: len(app.session.runs) == 4, "the runs")
        await pilot.press("2", "g", "3", "slash")
        await type_text(pilot, "none of these")
        app.notifications.info("12 runs have ended: 3 FAIL, 9 pass")
        await until(pilot, lambda: "12 runs have ended" in screen_text(app), "the message")

        def last_lines() -> list[str]:
            return screen_text(app).rstrip().splitlines()[-3:]

        await until(pilot, lambda: last_lines()[0].split() == ["/none", "of", "these", "none"], "the search")
        assert "Cancel" in last_lines()[2]


async def test_a_message_whose_time_is_over_before_it_is_painted_goes_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late, make = [0.0], Toast.__init__

    def make_late(self: Toast, notification: Notification) -> None:
        late.append(60.0)
        make(self, notification)
        # With less, the timer of Textual goes round and round.
        assert self._timeout > 0

    monkeypatch.setattr("textual.notifications.time", lambda: time.time() + late[-1])
    monkeypatch.setattr(Toast, "__init__", make_late)
    app = build_app(sample(tmp_path / "tt-xla"))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        app.notifications.info("too late")
        await until(pilot, lambda: len(late) > 1, "the message")
        await until(pilot, lambda: not app.screen.query(Toast), "its end")
        await pilot.press("question_mark")
        await until(pilot, lambda: "Keys that work here" in screen_text(app), "an app that works")


async def test_messages_stay_for_tests_that_look_late(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path / "tt-xla"))
    async with app.run_test(size=(80, 24)) as pilot:
        app.notifications.info("early", timeout=0.001)
        await pilot.pause(0.05)
        assert [one.message for one in app._notifications] == ["early"]


@pytest.mark.parametrize("width", [80, 120])
async def test_messages_are_whole(tmp_path: Path, width: int) -> None:
    """However the length of a message and the room for it meet."""
    app = build_app(sample(tmp_path / "tt-xla"))
    async with app.run_test(size=(width, 24), notifications=True) as pilot:
        for length in range(width // 2 - 6, width // 2 + 2):
            app.notifications.info("x" * (length - 4) + " end")
            await until(pilot, lambda: " end" in screen_text(app), f"the end of {length} characters")
            app.clear_notifications()
            await until(pilot, lambda: not app.screen.query(Toast), "an empty corner")
