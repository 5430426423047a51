# SPDX-License-Identifier: Apache-2.0
"""What every full screen has: its context, the line of its title, and signals that end with the screen."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.signal import Signal
from textual.timer import Timer
from textual.widgets import Static

from tui import view_models
from tui.commands import Where, screen_commands
from tui.needs import NEEDS, Need, with_before
from tui.protocol import Context
from tui.screens.panes import Divider, Pane, Panes
from tui.view_models import Tab
from tui.widgets import CachedText, KeyLine, SteadyScreen

if TYPE_CHECKING:
    from tui.view_models import Meaning

_SELDOM = {Where.HOSTS, Where.PLAN, Where.REPORT}
"""Screens that are in the title only while they are in front, or there is something on them."""
_OWN_SHARE = 0.5
"""What part of the title what a screen itself has to say may take from the names of the others."""


class SessionScreen(SteadyScreen[None]):
    """A screen over the shared session."""

    BLANK: ClassVar[bool] = True
    """Its widgets cover it: nothing of its own is painted behind them with each frame."""
    PLACES: ClassVar[tuple[Where, ...]] = ()
    """Where a person always is while this screen is in front; the first is its own (`tui.screens.table`)."""
    PANES: ClassVar[Sequence[Pane]] = ()
    """Its panes, in the order of the key that goes from one to the next."""
    DIVIDERS: ClassVar[Sequence[Divider]] = ()

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.panes = Panes(self, self.PANES, self.DIVIDERS)
        self.session = context.session
        self.context = context
        self.key_line = KeyLine(read_only=context.session.read_only)
        self._repeated: list[tuple[Timer, Callable[[], None]]] = []
        self._styled_for: tuple[str, bool] | None = None
        """The theme, and whether the terminal had the focus, when styles were last computed."""
        self._title_shown: object = None
        """What the title line was last made from: it is asked for with every letter of a query."""
        self._title_words: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        yield CachedText("", id="title", markup=False)
        yield from self.body()
        yield self.key_line

    def body(self) -> ComposeResult:
        """The widgets between the title and the line of keys."""
        return ()

    def on_mount(self) -> None:
        """Every screen says how long machines are still there, and which are up."""
        for signal in (self.context.signals.lease_changed, self.context.signals.hosts_changed):
            self.follow(signal, self.with_widgets(lambda: self.title_line(*self._title_words)))

    def places(self) -> tuple[Where, ...]:
        """Where a person is now: decides which commands help lists."""
        return self.PLACES

    def legend(self) -> "Sequence[Meaning]":
        """What the signs on this screen mean: for help."""
        return view_models.legend(self.PLACES[0], self.session.matrix)

    def query_fields(self) -> Callable[[], Sequence[tuple[str, str]]] | None:
        """What has the fields of the query that can be typed here, with what they ask; to be called in a thread."""
        return None

    def follow(self, signal: Signal[None], react: Callable[[], None]) -> None:
        """Call `react` whenever `signal` is published, as long as the screen lives."""
        signal.subscribe(self, lambda _: react())

    def every(self, seconds: float, act: Callable[[], None]) -> None:
        """Call `act` again and again while the screen is in front and has its widgets: they go before its timers."""
        act = self.with_widgets(act)
        self._repeated.append((self.set_interval(seconds, act), act))

    def on_screen_suspend(self) -> None:
        """What nobody sees need not be looked at."""
        for timer, _ in self._repeated:
            timer.pause()

    def on_screen_resume(self) -> None:
        for timer, act in self._repeated:
            timer.resume()
            act()

    @on(events.ScreenResume)
    def _leave_styles(self, event: events.ScreenResume) -> None:
        # The widgets got their styles when they were made, and while a screen is hidden only these two change them.
        # Textual does it again at each change of screens, which takes 5 to 15 ms.
        before, self._styled_for = self._styled_for, (self.app.theme, self.app.app_focus)
        event.refresh_styles = before not in (None, self._styled_for)

    def with_widgets(self, act: Callable[[], None]) -> Callable[[], None]:
        """`act`, which does nothing before the widgets are there, nor once they are going, one after the other."""
        return lambda: act() if self.display and self.query("#title") else None

    def title_line(self, *words: str) -> None:
        """Say where we are: the views with what goes on in them, then what this one has to say."""
        pending = self.session.open_changes
        going = {
            Where.RUNS: self._going(),
            Where.REVIEW: f"{pending:,} pending" if pending else "",
            Where.HOSTS: view_models.hosts_words(self.session.cluster) if self.session.cluster else "",
        }
        self._title_words = words
        keymap, places = self.context.keymap, self.places()
        read_only = "read-only" if self.session.read_only else ""
        own = "   ".join(filter(None, (read_only, self.session.lease_text, *words)))
        offered = [one for one in screen_commands() if one[0] in places or one[0] not in _SELDOM or going.get(one[0])]
        tabs = [
            Tab(keymap.key(command.id), command.label, going.get(place, ""), place in places)
            for place, command in offered
        ]
        width = self.app.size.width - 2
        shown = (tabs, own, width)
        if shown == self._title_shown:
            return
        line = Text(no_wrap=True, overflow="ellipsis")
        room = width - 3 - min(len(own), int(width * _OWN_SHARE))
        fitted = view_models.fitted_tabs(tabs, room)
        for (_, command), before, tab in zip(offered, (None, *fitted), fitted, strict=False):
            line.append(view_models.tab_gap(before, tab))
            click = Style(meta={"@click": f"app.{command.action}"})
            line.append(tab.text, "reverse" if tab.current else click)
        line.append(f"   {own}")
        self.query_one("#title", Static).update(line, layout=False)
        self._title_shown = shown

    def _going(self) -> str:
        """How many runs go on."""
        if not self.session.runs:
            return ""
        return view_models.going_words(self.session.runs)

    def on_resize(self, event: events.Resize) -> None:
        """What the title has room for hangs on the width."""
        if self.is_mounted and self._title_words:
            self.title_line(*self._title_words)

    def lacks(self, need: Need) -> bool:
        """Whether what a command needs is missing now."""
        match need:
            case Need.VIEW_BEFORE:
                return not self.context.navigation.has_last
            case Need.DIVIDER:
                return not self.panes.movable
            case _:
                return False

    def offer(self, *ids: str) -> None:
        """Have the line of keys name those of these commands alone that have what they need now."""
        lacking = (id for id in ids if any(map(self.lacks, with_before(NEEDS[id]))))
        self.key_line.leave_out(lacking)

    # In and out

    def spot(self) -> object:
        """What is shown here, for `restore`; None where nothing but the person changes that."""
        return None

    def restore(self, spot: object) -> None:
        """Show what `spot` has returned."""

    def close_one(self) -> bool:
        """Close what was opened last on this screen, or take back what narrows it; False: there is nothing."""
        return False

    def go_back(self) -> None:
        """What escape does: one level back. Never leaves the app."""
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
