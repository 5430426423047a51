# SPDX-License-Identifier: Apache-2.0
"""The app: makes the objects that do its work, gives them to its screens, and passes keys and messages on to them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from textual import events
from textual.actions import ActionParseResult
from textual.dom import DOMNode
from textual.driver import Driver
from textual.filter import LineFilter, NoColor
from textual.notifications import Notify, SeverityLevel
from textual.screen import Screen

from core.matrix import Matrix
from tui import screens, view_models
from tui.app.bridge import Background, WorkDone, WorkFailed
from tui.app.command_runner import CommandRunner
from tui.app.edit_actions import EditActions
from tui.app.facts import FactRequests
from tui.app.failures import Failures, Mistake
from tui.app.fetching import Fetching
from tui.app.file_actions import FileActions
from tui.app.key_order import KeyOrder, Pause
from tui.app.last_place import LastPlace
from tui.app.navigation import Navigation
from tui.app.notifications import LastingNotification, Notifications
from tui.app.polling import Polling
from tui.app.run_actions import RunActions
from tui.app.worklists import Worklists
from tui.commands import Command, HasCommands, Hint, Need, Where, command
from tui.hints import Hints
from tui.keymap import Keymap
from tui.protocol import Context, Signals
from tui.screens import SessionScreen
from tui.screens.matrix import MatrixScreen, Spot
from tui.session import Session
from tui.terminal import EndAsked, stop_as_job
from tui.textual_private import FilteringApp, StyleSources, add_styles, parse_styles
from tui.themes import MONO, use_themes
from tui.tour import Tour
from tui.view_models import counted

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.types import CSSPathType

    from core.matrix.query import Learned
    from core.workspace import Workspace
    from tui.screens import Helped

# The first frame shows only the matrix: other classes come from package `__init__`s, which load them on first use.

MODULES_SOON = (
    "core.edits.pending.workbench",
    "core.evidence.store",
    "core.runs.store.store",
    "tui.view_models.detail",
    "tui.view_models.runs",
)
"""Modules that are needed right after the first frame."""
MODULES_OF_SCREENS = (
    "tui.screens.launch",
    "tui.screens.runs",
    "tui.screens.overview",
    "tui.screens.triage",
    "tui.screens.review.screen",
    "tui.screens.matrix.set_fields",
    "tui.screens.workflows",
)
"""Modules of other screens and dialogs: loading one at its first use would block the app's own thread up to 100 ms."""
_BEGIN_SECONDS = 10.0
"""Most seconds that keys wait for the screen that one begins with: in any other one they would do something else."""
_PLACE_SECONDS = 1.0
"""Seconds between looks at whether the place of the person is to be stored."""
_AGAIN_SECONDS = 2.0
"""Seconds within which the interrupt key must be pressed again to quit."""
_TOUR_SECONDS = 3600.0
"""Seconds that a step of the tour is shown, if nobody does it."""
_LIST_SECONDS = 0.1
"""So long keys wait for the first list of Triage, if it is not known yet."""


class Appearance(NamedTuple):
    """The options with which the app starts."""

    theme: str = "dark"
    """One of `tui.themes`."""
    screen: str = ""
    """The screen to start with; empty: the matrix."""
    keymap: Keymap = Keymap()
    ascii: bool = False
    """Whether to send only ASCII to the terminal."""
    spot: Spot = Spot()
    """The row of the matrix under the cursor at the start."""
    notice: str = ""
    """A message to show first."""


PLAIN = Appearance()
"""The defaults."""


class Process(Protocol):
    """Work of the app's process, in addition to running it."""

    def started(self, app: TTMatrixApp) -> None:
        """Called when the first frame is shown and the work after it has begun."""

    def at(self, place: LastPlace) -> None:
        """Called with the place where a person is, whenever it is another one."""

    def keep_place(self) -> None:
        """Store that place, for the next app on this checkout: from any thread."""

    def ended(self) -> None:
        """Called when the app is about to end."""


class TTMatrixApp(HasCommands, FilteringApp, inherit_bindings=False):
    """Screens over one session. Threads report through messages; only handlers change what is shown."""

    TITLE = "ttmatrix"
    # The CSS of screens and dialogs, read at the start: reading it with the first dialog would delay that by 40 ms.
    CSS_PATH: ClassVar[CSSPathType] = ["app.tcss", "../screens/screens.tcss", "../screens/dialogs.tcss"]
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        session: Session,
        reindex: Callable[[Matrix], Matrix],
        *,
        process: Process | None = None,
        look: Appearance = PLAIN,
        driver_class: type[Driver] | None = None,
    ) -> None:
        """`reindex` reads the checkout of a matrix again; it is called in a thread."""
        super().__init__(driver_class)
        use_themes(self, look.theme)
        self.set_keymap(look.keymap.changed)
        self.session = session
        self.process = process
        self._interrupted = False
        self._kept: LastPlace | None = None
        """The place that is stored."""
        self.look = look
        self.hints: Hints | None = None
        """None: none are shown."""
        self.tour = Tour(look.keymap, self._say_step, self.clear_notifications)
        self.keys = KeyOrder(self, super().on_event, self._keys_dropped)
        self.signals = Signals(self)
        self.notifications = Notifications(self, session.paths.cache, session.settings.notify)
        self.failures = Failures(session.paths.errors, self.notifications.warn, lambda: self.navigation.shown)
        self.background = Background(self, self.keys.pause, self._mistake)
        self.facts = FactRequests(session, self.signals, self.notifications, self.background)
        first_list = partial(self.keys.pause, question=False, seconds=_LIST_SECONDS)
        self.worklists = Worklists(self, session, self.signals, self.notifications, self.background, first_list)
        self.edits = EditActions(session, self.signals, self.notifications, self.background, look.keymap)
        self.polling = Polling(
            self,
            session,
            self.signals,
            self.notifications,
            self.background,
            self.facts,
            self.edits,
            look.keymap.key("app.nightly"),
        )
        self.fetching = Fetching(self, session, self.notifications)
        self.runs = RunActions(self, session, self.notifications, self.background, self.polling, look.keymap)
        self.files = FileActions(self, session, self.notifications, self.background, reindex, self._replace)
        self.navigation = Navigation(self, lambda kind: kind(self.context), self.show_hint)
        self.command_runner = CommandRunner(self, self.navigation, look.keymap, read_only=session.read_only)
        self.context = Context(
            session,
            look.keymap,
            self.signals,
            self.notifications,
            self.background,
            self.facts,
            self.worklists,
            self.files,
            self.navigation,
            self.runs,
            self.edits,
            self.tour,
            lambda: look.ascii or self.theme == MONO,
        )

    @property
    def matrix_screen(self) -> MatrixScreen:
        """The screen below all others."""
        return self.navigation.screen(MatrixScreen)

    def get_default_screen(self) -> Screen[None]:
        """The matrix itself, since another default screen would have to be made for the first frame."""
        screen = self.matrix_screen
        screen.begin_at(self.look.spot)
        return screen

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Filters for every line: without colours, those that a text itself contains are removed as well."""
        found = super().get_line_filters()
        return [*found, NoColor()] if self.theme == MONO else found

    # The start and the end

    def on_mount(self) -> None:
        self.background.start()
        self.keys.start()
        self.failures.follow(lambda error: self.post_message(WorkFailed(self._mistake(error))))
        self.app_resume_signal.subscribe(self, lambda _: self.action_redraw())
        # Keys are for the screen that one begins with, which comes once its modules are there.
        begins = self.keys.pause(question=False, seconds=_BEGIN_SECONDS) if self.look.screen else None
        self.background.run("start", self._bring_in, lambda _: self._begin(begins))

    def on_ready(self) -> None:
        self.background.screen_ready()

    def _bring_in(self) -> None:
        """Load modules that are soon needed; keys are handled meanwhile."""
        _load(MODULES_SOON)
        # From the disk, for the app's own thread.
        _ = self.session.bench
        self.session.view.matrix.complete()

    def _begin(self, waited: Pause | None) -> None:
        """Keys need not wait any longer."""
        self._started()
        if waited is not None:
            waited.end()

    def _started(self) -> None:
        """Start reading everything beside the matrix: pending changes, marks, runs."""
        self.session.restore_marks()
        for signal in (self.signals.evidence_changed, self.signals.matrix_changed):
            signal.subscribe(self, lambda _: self.files.take_new_reports())
        self.edits.refresh()
        if self.session.pending.changes or self.session.uncommitted:
            self.edits.rebase()
        self.worklists.start()
        self.polling.start()
        self.fetching.start()
        self.background.run("screens", self._load_screens, partial(add_styles, self.stylesheet))
        if self.look.screen:
            self.navigation.switch(self.look.screen)
        if self.look.notice:
            self.notifications.info(self.look.notice)
        if self.process is not None:
            self.process.started(self)
        self.set_interval(_PLACE_SECONDS, self._keep_place)

    def _load_screens(self) -> StyleSources:
        _load(MODULES_OF_SCREENS)
        return parse_styles(self.stylesheet)

    def exit(self, result: Any = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """End the app; the next one on this checkout starts in the same place."""
        if self.process is not None:
            self.process.at(self._place)
            self.process.keep_place()
        super().exit(result, return_code, message)

    @property
    def _place(self) -> LastPlace:
        front, matrix = self.navigation.in_front(), self.matrix_screen
        screen = front.PLACES[0].value if front is not None and front is not matrix else ""
        return LastPlace(screen, self.session.view.spec, matrix.listing.spot)

    def _keep_place(self) -> None:
        """Nobody says goodbye before a kill -9: the place is stored soon after each move."""
        if self.process is not None and self._place != self._kept:
            self._kept = self._place
            self.process.at(self._kept)
            self.background.run("place", self.process.keep_place, lambda _: None)

    def on_unmount(self) -> None:
        """Stop watchers, which must not outlive the screen."""
        self.polling.stop()
        self.fetching.stop()
        self.worklists.stop()
        self.failures.leave()
        if self.process is not None:
            self.process.ended()

    def _replace(self, workspace: Workspace, learned: Learned) -> None:
        self.session.replace(workspace, learned)
        self.signals.matrix_changed.publish(None)
        self.facts.matrix_replaced(learned)
        self.polling.read_ages()
        self.edits.rebase()

    # Messages

    async def on_event(self, event: events.Event) -> None:
        """Put keys in order, and leave all other events to the stock app."""
        await self.keys.take(event)

    def _keys_dropped(self) -> None:
        self.notifications.info("This takes longer than usual. The keys you typed meanwhile were dropped.")

    async def on_key_order_followed(self, message: KeyOrder.Followed) -> None:
        await self.keys.followed(message)
        if not self.keys.busy:
            self._follow_with_hint()

    def on_work_done(self, message: WorkDone[object]) -> None:
        # At the end screens lose their widgets one by one.
        if self.is_running:
            message.deliver()
            self._follow_with_hint()

    def on_work_failed(self, message: WorkFailed) -> None:
        if isinstance(message.error, Mistake):
            self.failures.show(message.error)
        else:
            self.notifications.error(message.error)
        message.done()

    # Mistakes

    def can_go_on(self) -> bool:
        """Whether there is a screen to go on with: before the first frame nothing can be lost."""
        return super().can_go_on() and self.background.first_frame_shown

    def survived(self, error: BaseException) -> None:
        """Say that something went wrong that nobody expected; everything else goes on."""
        self.failures.show(self.failures.written(error))

    def _mistake(self, error: BaseException) -> Mistake:
        self.tell_pilot(error)
        return self.failures.written(error)

    def on_end_asked(self, message: EndAsked) -> None:
        """End because of a signal: like quitting, but without questions."""
        # The app cannot end before its first frame: its screen is still being made.
        self.background.after_first_frame(partial(self.exit, return_code=128 + message.signum))

    def on_resize(self) -> None:
        """Repaint everything: it is unknown what a terminal does to its lines when it is resized."""
        self.forget_frames()

    # Hints

    def begin_hints(self, hints: Hints) -> None:
        """Show hints from now on, one each time a screen comes to the front."""
        self.hints = hints
        self.show_hint()

    def show_hint(self) -> None:
        """Show the next hint for the screen in front."""
        if self.hints is not None and isinstance(self.screen, SessionScreen):
            self._hint(self.hints.next(self.screen.places(), self.command_runner.able))

    def _follow_with_hint(self) -> None:
        """A hint goes when it is no longer about what is shown; one that could not be followed before comes now."""
        if self.hints is None or not self.screen_stack or not isinstance(self.screen, SessionScreen):
            return
        if self.hints.missed:
            self.show_hint()
        elif self.hints.shown and not self.hints.fits(self.screen.places(), self.command_runner.able):
            self.hints.drop()
            self._hint("")

    def _hint(self, words: str) -> None:
        if isinstance(self.screen, SessionScreen):
            self.screen.say_hint(words)

    def _say_step(self, title: str, words: str) -> None:
        self.clear_notifications()
        self.notify(words, title=title, timeout=_TOUR_SECONDS, markup=False)

    # Commands

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run the action of a key, a click or a command; if it is not possible now, say why."""
        if why := self.command_runner.refusal(action, default_namespace or self):
            self.notifications.info(why)
            return True
        ids = self.command_runner.ids(action, default_namespace or self)
        if self.hints is not None and self.hints.used(ids):
            self.hints.drop()
            self._hint("")
        done = await super().run_action(action, default_namespace, namespaces)
        self.tour.used(ids)
        if self.hints is not None and not self.keys.busy:
            # After a key it is done when the key has been followed: to wait for a frame costs 0.1 ms.
            self.call_after_refresh(self._follow_with_hint)
        return done

    @command(
        "app.overview",
        Where.APP,
        "0",
        "Overview",
        "Show the numbers of the matrix",
        action="switch('overview')",
        aliases="dashboard home numbers",
    )
    @command("app.matrix", Where.APP, "1", "Matrix", "Show the matrix", action="switch('matrix')")
    @command(
        "app.runs",
        Where.APP,
        "2",
        "Runs",
        "Show the runs and their logs",
        action="switch('runs')",
        aliases="jobs queue",
    )
    @command("app.log", Where.APP, "3", "Log", "Show the log of the highlighted run, full size", action="switch('log')")
    @command(
        "app.triage",
        Where.APP,
        "4",
        "Triage",
        "Triage proposals",
        action="switch('triage')",
        aliases="inbox stale verdicts proposals",
    )
    @command(
        "app.review",
        Where.APP,
        "5",
        "Review",
        "Review pending edits",
        action="switch('review')",
        aliases="diff pending commit changes",
    )
    @command(
        "app.doctor",
        Where.APP,
        "6",
        "Doctor",
        "Show what is wrong with the checkout",
        action="switch('doctor')",
        aliases="findings lint check",
    )
    @command(
        "app.clusters",
        Where.APP,
        "7",
        "Clusters",
        "Show failures with the same cause",
        action="switch('clusters')",
        aliases="failures causes",
    )
    @command("app.compare", Where.APP, "8", "Compare", "Compare two runs", action="switch('compare')")
    @command(
        "app.workflows",
        Where.APP,
        "9",
        "Workflows",
        "Show workflows on failing training tests",
        action="switch('workflows')",
        aliases="fix bfloat16 unpack",
    )
    @command(
        "app.hosts", Where.APP, "f2", "Hosts", "Show the machines, and what runs on each", action="switch('hosts')"
    )
    @command(
        "app.plan", Where.APP, "f3", "Plan", "Plan a session: what fits into the time left", action="switch('plan')"
    )
    @command(
        "app.report", Where.APP, "f4", "Report", "Show pass rates, broken tests, machines", action="switch('report')"
    )
    @command(
        "app.diff",
        Where.APP,
        "f6",
        "Diff",
        "Show what commits or an uplift change",
        action="switch('diff')",
        aliases="uplift commits branch compare states",
    )
    @command(
        "app.nightly",
        Where.APP,
        "f7",
        "Nightly",
        "Show what CI did last night",
        action="switch('nightly')",
        aliases="morning ci jobs night",
    )
    def action_switch(self, name: str) -> None:
        self.navigation.switch(name)

    @command(
        "app.help",
        Where.APP,
        "question_mark,f1",
        "Help",
        "List the keys that work here",
        footer=True,
        aliases="keys shortcuts",
    )
    def action_help(self) -> None:
        screen = self.screen
        if isinstance(screen, SessionScreen):
            help = screens.HelpScreen(self.context, self.command_runner.valid(), screen.legend(), screen.query_fields())
            self.push_screen(help, self._helped)
        elif isinstance(screen, screens.KeyHelp | screens.HelpScreen):
            screen.dismiss(None)
        elif isinstance(screen, screens.Dialog):
            self.push_screen(screens.KeyHelp(screen.key_words()))

    def _helped(self, chosen: Helped) -> None:
        if isinstance(chosen, Command):
            self.command_runner.run(chosen)
        elif chosen is not None:
            self.matrix_screen.type_query(chosen.text)

    @command(
        "app.commands",
        Where.APP,
        "colon,ctrl+p",
        "Commands",
        "Type a command, or what it does",
        hint=Hint("commands", "{app.commands} finds any command", turn=2, where=Where.MATRIX),
    )
    def action_command_line(self) -> None:
        if isinstance(self.screen, SessionScreen):
            verbs = screens.Verbs(self, self.context, self.matrix_screen).all()
            valid = self.command_runner.valid()
            line = screens.CommandLine(valid, verbs, self.command_runner.elsewhere(valid))
            self.push_screen(line, self.command_runner.run)

    @command("app.reload", Where.APP, "f5,ctrl+r", "Reload", "Read the checkout again", aliases="refresh update index")
    def action_reload(self) -> None:
        """Read the checkout again."""
        self.files.reload()

    @command("app.back", Where.APP, "escape", "Back", "Go back one level; never quits the app")
    def action_go_back(self) -> None:
        if isinstance(self.screen, SessionScreen):
            self.screen.go_back()

    @command(
        "app.last",
        Where.APP,
        "minus",
        "Last view",
        "Toggle between the last two views",
        needs=Need.VIEW_BEFORE,
        hint=Hint("last", "{app.last} returns to the view before", turn=6, where=Where.MATRIX),
    )
    def action_last_view(self) -> None:
        self.navigation.last()

    @command(
        "app.page",
        Where.APP,
        "o",
        "Page",
        "Open the job of CI, or copy its address",
        aliases="link url browser web ci",
    )
    def action_open_page(self) -> None:
        """Open the page of what is under the cursor; where there is none, say why."""
        if isinstance(self.screen, SessionScreen):
            self.background.run("page", self.screen.page(), self.notifications.open_page, supersede=True)

    @command("app.zoom", Where.APP, "z", "Zoom", "Zoom this pane to the whole screen, or back", needs=Need.LISTED)
    def action_zoom(self) -> None:
        if isinstance(self.screen, SessionScreen):
            self.screen.panes.toggle()

    @command(
        "app.divider_down",
        Where.APP,
        "J",
        "Divider down",
        "Move the divider down, or right",
        action="divider(1)",
        needs=Need.DIVIDER,
    )
    @command(
        "app.divider_up",
        Where.APP,
        "K",
        "Divider up",
        "Move the divider up, or left",
        action="divider(-1)",
        needs=Need.DIVIDER,
    )
    def action_divider(self, steps: int) -> None:
        if isinstance(self.screen, SessionScreen):
            self.screen.panes.move(steps)

    @command(
        "app.quit",
        Where.APP,
        "q",
        "Quit",
        "Close this screen (matrix: quit); runs continue",
        aliases="exit close leave",
    )
    def action_leave(self) -> None:
        """Leave the pane that has the whole screen, else the screen; on the matrix quit the app."""
        if isinstance(self.screen, SessionScreen) and self.screen.panes.zoomed:
            self.screen.go_back()
        elif self.screen is self.matrix_screen:
            self._quit()
        else:
            self.navigation.switch("matrix")

    def _quit(self) -> None:
        count, problem = self.session.open_changes, self.session.bench.problem
        if not count or problem is None:
            self.exit(message=view_models.exit_words(count, self.session.runs))
        else:
            body = f"{counted(count, 'pending change')} cannot be saved: {problem.detail}"
            question = screens.Confirm("Quit and lose pending changes?", body, verb="quit")
            self.push_screen(
                question, lambda yes: self.exit(message=view_models.exit_words(0, self.session.runs)) if yes else None
            )

    @command("app.suspend", Where.APP, "ctrl+z", "Suspend", "Back to the shell; fg returns here")
    def action_suspend_process(self) -> None:
        """Suspend to the shell, together with processes started along with the app."""
        stop_as_job(self)

    @command("app.redraw", Where.APP, "ctrl+l", "Redraw", "Repaint the whole screen", aliases="refresh clear")
    def action_redraw(self) -> None:
        """Repaint the whole screen, over anything that another program wrote."""
        self.forget_frames()
        self.screen.refresh(layout=True)

    @command("app.interrupt", Where.APP, "ctrl+c", "Stop", "Stop following logs; press twice to quit")
    def action_interrupt(self) -> None:
        """Pressed once: stop following logs. Pressed twice: quit. Never stops runs."""
        self.navigation.stop_following()
        if self._interrupted:
            self._quit()
            return
        self._interrupted = True
        self.notifications.info("Press again to quit. Runs continue.", timeout=_AGAIN_SECONDS)
        self.set_timer(_AGAIN_SECONDS, self._forget_interrupt)

    def _forget_interrupt(self) -> None:
        self._interrupted = False

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Show a message for `timeout` seconds."""
        seconds = self.NOTIFICATION_TIMEOUT if timeout is None else timeout
        self.post_message(Notify(LastingNotification(message, title, severity, seconds, markup=markup)))


def _load(modules: Sequence[str]) -> None:
    for module in modules:
        importlib.import_module(module)
