# SPDX-License-Identifier: Apache-2.0
"""The base of all full screens: context, title line, and signals that end with the screen."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.signal import Signal
from textual.timer import Timer
from textual.widgets import Input

from core import evidence
from core.matrix import query
from tui import view_models
from tui.commands import HasCommands, Need, Where, commands, needs_of
from tui.keymap import advice
from tui.protocol import Context
from tui.screens.panes import Divider, Pane, Panes
from tui.screens.title import MessageLine, Title
from tui.textual_private import SteadyScreen
from tui.widgets import KeyLine, PaneRule

if TYPE_CHECKING:
    from core.evidence import Page
    from tui.view_models import Meaning
    from tui.widgets import FilterBar, LogPane, LogView


_REST_SECONDS = 0.06
"""How long the cursor must rest before it is said where it is."""


class SessionScreen(HasCommands, SteadyScreen[None]):
    """A screen over the shared session."""

    BLANK: ClassVar[bool] = True
    """Its widgets cover it: nothing of its own is painted behind them with each frame."""
    PLACES: ClassVar[tuple[Where, ...]] = ()
    """Places of a person while this screen is in front; the first is its own (`tui.screens.table`)."""
    PURPOSE: ClassVar[str] = ""
    """What it is for, in a sentence: said while there is nothing to show (`first_step`)."""
    PANES: ClassVar[Sequence[Pane]] = ()
    """Its panes, in the order of the key that goes from one to the next."""
    DIVIDERS: ClassVar[Sequence[Divider]] = ()
    OFFERED: ClassVar[Sequence[str]] = ()
    """Commands that are on the line of keys only where they do something, whatever is listed."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.panes = Panes(self, self.PANES, self.DIVIDERS, self.with_widgets(self.show_title), lambda: self.beside)
        self.session = context.session
        self.context = context
        self.top = Title(context.keymap)
        self.rule = PaneRule(id="list-title")
        """Above the first pane: what is listed, how much of it, and where the cursor is."""
        self.messages = MessageLine()
        self.key_line = KeyLine(read_only=context.session.read_only)
        self.repeated: list[tuple[Timer, Callable[[], None]]] = []
        self._styled_for: tuple[str, bool] | None = None
        """The theme, and whether the terminal had the focus, when styles were last computed."""
        self._keyed: Sequence[str] = ()
        """What the screen itself says on the line of messages."""
        self._hint = ""
        self._place = ""
        self._reading: WhenSeen | None = None

    def compose(self) -> ComposeResult:
        yield self.top
        yield from self.body()
        yield self.messages
        yield self.key_line

    def body(self) -> ComposeResult:
        """The widgets between the tabs and the line of messages."""
        return ()

    def rules(self) -> "Mapping[str, PaneRule | FilterBar]":
        """The rules above the panes, by the names of these; a line to type in that has the keys alone is one, too."""
        return {self.PANES[0].name: self.rule} if self.PANES else {}

    @property
    def has_keys(self) -> str:
        """The name of the rule that is heavy."""
        return self.panes.focused

    def on_mount(self) -> None:
        """The title of every screen says what goes on: runs, pending changes, machines."""
        # One timer that starts again with each key: a new one would be a task that is created and cancelled.
        self._resting = self.set_interval(_REST_SECONDS, self.with_widgets(self._rested), pause=True)
        signals = self.context.signals
        for signal in (
            signals.identity_changed,
            signals.hosts_changed,
            signals.runs_changed,
            signals.pending_changed,
            signals.freshness_changed,
        ):
            self.follow(signal, self.with_widgets(self.show_title))
        if self._reading is not None:
            self._reading.start()
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.with_widgets(self.show_title)())

    def places(self) -> tuple[Where, ...]:
        """The present places: they decide which commands help lists."""
        return self.PLACES

    def legend(self) -> "Sequence[Meaning]":
        """The meaning of the signs on this screen, for help."""
        return view_models.legend(self.PLACES[0], self.session.matrix)

    def query_fields(self) -> Callable[[], Sequence[tuple[str, str]]] | None:
        """A function, to be called in a thread, for the fields of the query here with their meaning."""
        return None

    def go_to_test(self, id: str) -> None:
        """Show a test in the matrix, if the checkout has it."""
        if id in self.session.view.matrix.rows:
            self.context.navigation.show_test(id)
        else:
            self.context.notify.info("The checkout has no such test.")

    def go_to_known(self, ids: Iterable[str]) -> bool:
        """Show those of these tests in the matrix that it has, a readable number at most; False: it has none."""
        known = [id for id in dict.fromkeys(ids) if id in self.session.view.matrix.rows]
        if len(known) == 1:
            self.context.navigation.show_test(known[0])
        elif known:
            self.context.navigation.show_tests(query.exactly(known[: query.MOST_NAMED]))
            if len(known) > query.MOST_NAMED:
                self.context.notify.info(f"The first {query.MOST_NAMED} of {len(known):,} tests.")
        return bool(known)

    def first_step(self, words: str) -> str:
        """What to say while there is nothing to show: what the screen is for, and which key or command fills it."""
        return f"{self.PURPOSE} {advice(words, self.context.keymap, read_only=self.session.read_only)}"

    def follow(self, signal: Signal[None], react: Callable[[], None]) -> None:
        """Call `react` whenever `signal` is published, as long as the screen lives."""
        signal.subscribe(self, lambda _: react())

    def read_when_seen(self, read: Callable[[], None], *signals: Signal[None]) -> "WhenSeen":
        """Have `read` read what is shown in the background: from the start on, and when a signal says that it changed.

        While another screen is in front, it waits until this one is.
        """
        self._reading = WhenSeen(self, read, *signals)
        return self._reading

    def every(self, seconds: float, act: Callable[[], None]) -> None:
        """Call `act` again and again while the screen is in front and has its widgets: they go before its timers."""
        act = self.with_widgets(act)
        self.repeated.append((self.set_interval(seconds, act), act))

    def on_screen_suspend(self) -> None:
        """Pause the timers: nobody sees this screen."""
        for timer, _ in self.repeated:
            timer.pause()

    def on_screen_resume(self) -> None:
        for timer, act in self.repeated:
            timer.resume()
            act()
        if self._reading is not None:
            self._reading.resume()

    @on(events.ScreenResume)
    def _leave_styles(self, event: events.ScreenResume) -> None:
        # The widgets got their styles when they were made, and while a screen is hidden only these two change them.
        # Textual does it again at each change of screens, which takes 5 to 15 ms.
        before, self._styled_for = self._styled_for, (self.app.theme, self.app.app_focus)
        event.refresh_styles = before not in (None, self._styled_for)

    def with_widgets(self, act: Callable[[], None]) -> Callable[[], None]:
        """`act`, which does nothing before the widgets are there, nor once they are going, one after the other."""
        return lambda: act() if self.display and self.top in self.children else None

    def title_line(self, *words: str, keyed: Sequence[str] = ()) -> None:
        """Say above the first pane what is listed. `keyed` are messages that name a key: none of them is cut."""
        said = [one for one in words if one]
        self.rule.say(*(said or [""]))
        self._keyed = tuple(filter(None, keyed))
        self.show_title()

    def say_hint(self, hint: str) -> None:
        """Show a hint on the line of messages; empty: none."""
        self._hint = hint
        self.with_widgets(self.show_title)()

    @property
    def beside(self) -> bool:
        """Whether there is room for the detail right of the list."""
        return self.app.size.width >= view_models.BESIDE_FROM

    @property
    def tab(self) -> str:
        """The name of what is shown, as `switch` has it."""
        return self.PLACES[0].value

    def show_title(self) -> None:
        """The lines at the top, and that of messages, as everything is now."""
        # A line that takes the keys takes those too that a hint names.
        hint = "" if isinstance(self.focused, Input) else self._hint
        self.messages.say(self._keyed, hint)
        self.offer()
        self.top.show_session(self.session, self.tab, self.app.size.width)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The rule above the pane that has the keys is heavy, or that of the line in which one types."""
        for name, rule in self.rules().items():
            rule.light(name == self.has_keys)

    def show_place(self, place: str) -> None:
        """Say above the first pane where the cursor is, once it rests: while a key repeats, nothing is painted."""
        self._place = place
        self._resting.reset()

    def _rested(self) -> None:
        self._resting.pause()
        self.rule.at(self._place)

    def on_resize(self, event: events.Resize) -> None:
        """The title depends on the width."""
        if self.is_mounted:
            self.show_title()

    def lacks(self, need: Need) -> bool:
        """Whether what a command needs is missing now."""
        match need:
            case Need.VIEW_BEFORE:
                return not self.context.navigation.has_last
            case Need.DIVIDER:
                return not self.panes.movable
            case _:
                return False

    @property
    def lists_nothing(self) -> bool:
        """Whether its list has no row that says anything."""
        return False

    def offer(self) -> None:
        """Leave keys that do nothing now out of the line of keys: without rows any, with rows only those `OFFERED`.

        The others would come and go with the cursor.
        """
        ids = [one.id for one in commands(*self.places())] if self.lists_nothing else self.OFFERED
        self.key_line.leave_out(id for id in ids if any(map(self.lacks, needs_of(id))))

    # The page of what is under the cursor

    def page(self) -> "Callable[[], Page]":
        """A function, to be called in a thread, for the page on GitHub of what is under the cursor."""
        return partial(evidence.Page, why="Nothing here is of a job of CI.")

    def page_of_tests(self, ids: Sequence[str], arch: str = "") -> "Callable[[], Page]":
        """The page of the newest job of these tests, on an arch if there is one."""
        if not ids:
            return partial(evidence.Page, why=Need.LISTED_TEST.value)
        return partial(self.session.page_of, [*ids], arch)

    # Logs

    def on_log_pane_failed(self, event: "LogPane.Failed") -> None:
        self.context.notify.error(event.error)

    def on_log_view_copied(self, event: "LogView.Copied") -> None:
        self.context.notify.copy(event.text)

    # In and out

    def spot(self) -> object:
        """The view of this screen, for `restore`; None where nothing but the person changes it."""
        return None

    def restore(self, spot: object) -> None:
        """Show what `spot` has returned."""

    def close_one(self) -> bool:
        """Close the last thing opened on this screen, or remove its restriction; False: there is nothing."""
        return False

    def go_back(self) -> None:
        """Go back one level, as escape does. Never leaves the app."""
        if not self.panes.leave() and not self.close_one():
            self.context.navigation.back()

    # The dividers follow the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.panes.press(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self.panes.drag(event)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self.panes.release()


class WhenSeen:
    """Has a screen read what has changed: at once while it is in front, else when it is next.

    `read` does so in the background; `signals` tell that there is something new.
    """

    def __init__(self, screen: SessionScreen, read: Callable[[], None], *signals: Signal[None]) -> None:
        self._screen = screen
        self._read = read
        self._signals = signals
        self._late = False
        """There may be something newer than what is shown."""

    def start(self) -> None:
        """Read now, and again with each signal. To be called when the screen is mounted."""
        for signal in self._signals:
            self._screen.follow(signal, self.ask)
        self.ask()

    def ask(self) -> None:
        """Read now, or when the screen is next in front."""
        self._late = not self._screen.is_current
        if not self._late:
            self._read()

    def resume(self) -> None:
        """The screen is in front again."""
        if self._late:
            self.ask()
