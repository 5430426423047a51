# SPDX-License-Identifier: Apache-2.0
"""The dialogs before a launch: how to run tests, what prevents it, and the exact commands."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from rich.text import Text
from textual.app import ComposeResult
from textual.events import Key
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Label

from core import ops
from core.base.errors import TTMatrixError
from core.base.settings import DEFAULT_PROFILE
from core.base.text import printable
from core.hosts import Host
from core.matrix import NO_ARCH
from core.ops import OpOptions
from core.runs import planning, shell_command
from core.runs.planning import BACKENDS, EXPORT_KINDS, KINDS, Export, LaunchPlan, Options, plan_launch
from tui.protocol import Context
from tui.screens.dialogs import CHOOSE, FIELDS, MOST_TYPED, Dialog, DialogKey, problem_words
from tui.view_models import launch_text
from tui.widgets import Cycle, DialogBox, Form, TextField, TextPane

_EACH = "each"
"""In place of an arch: each that the hosts have."""
_EXPORTING, _COMPARING = ("export-path", "export-tensors"), ("other", "sweep")
"""Fields for kinds that export, and in their place those of all others."""
_WITH_TENSORS = {"": None, "yes": True, "no": False}
_BY_PROFILE = "cpu; device for profiles that compile or are compared"
_SWEEPS = ("optimization_level=0,1,2", "batch_size=1..32")
"""Values of an option that are compared; `ttmatrix compare --sweep` has any other."""
_AROUND = 3
"""Empty lines of the box: below its title, above the plan, and above its keys."""


class _LaunchDialog(Dialog[LaunchPlan]):
    """Options above, and below them the plan that follows from them. Dismissed with the plan that was shown."""

    KEYS = (
        *FIELDS,
        *CHOOSE,
        DialogKey("pagedown", "page(1)", "scroll", "Page down", ahead=True),
        DialogKey("pageup", "page(-1)", "", "Page up", ahead=True),
        DialogKey("enter", "start", "start"),
        # Before the inputs, which would take the key for a letter.
        DialogKey("y", "copy", "copy", ahead=True),
    )

    def __init__(self, context: Context, ids: Sequence[str], name: str) -> None:
        """`name` says which tests `ids` are."""
        super().__init__(classes="launch")
        self._session = context.session
        self.context = context
        self.ids = ids
        self._tests = name
        self._wanted: Options | OpOptions | None = None
        """The options of the plan."""
        self.plan: LaunchPlan | None = None
        """None while it is being worked out, and where there is none."""
        self._refused = False
        """Whether there is none."""
        self._then: Callable[[], None] | None = None
        """The action to take once the plan is there."""

    @abstractmethod
    def fields(self) -> Iterator[tuple[str, Widget]]:
        """The options with their names; the first one has the focus."""

    @abstractmethod
    def chosen(self) -> Options | OpOptions:
        """The values of the fields."""

    @abstractmethod
    def planner(self) -> Callable[[], LaunchPlan]:
        """A function for a thread, which plans what is chosen."""

    def compose(self) -> ComposeResult:
        title, fields = f"Run {self._tests}", tuple(self.fields())
        form, shown = Form(fields), sum(field.display for _, field in fields)
        with self.box(title, width=form.roomy(MOST_TYPED), lines=shown + _AROUND):
            yield Label(Text(title), id="dialog-title")
            yield form
            yield TextPane(id="launch-plan")
            yield self.hint_label()

    def value(self, name: str) -> str:
        """The chosen value of a field."""
        return self.query_one(f"#{name}", Cycle).value

    def number(self, name: str) -> int | None:
        """The number in a field; None: it is empty."""
        text = self.query_one(f"#{name}", Input).value
        return int(text) if text else None

    def on_mount(self) -> None:
        # At once: what is typed right after the key that opened the dialog is for the dialog.
        self.set_focus(self.query(Cycle).first())
        self._say(Text("planning …", "dim"))

    def once_painted(self) -> None:
        # Not before: the thread that plans would hold the first frame up by a fifth.
        self._work_out()

    def on_cycle_changed(self) -> None:
        self._work_out()

    def on_input_changed(self) -> None:
        self._work_out()

    def _work_out(self) -> None:
        """Plan in the background what would be run."""
        options = self.chosen()
        if options == self._wanted and self.plan is not None:
            return
        self._wanted, self.plan, self._refused = options, None, False
        self._say(Text("planning …", "dim"))
        show, refuse = partial(self._show, options), partial(self._refuse, options)
        self.context.background.run("plan launch", self.planner(), show, supersede=True, fail=refuse)

    def _say(self, text: Text) -> None:
        """Show what is planned, all of it where the window has room."""
        self.query_one(DialogBox).show_all_of(text.plain, "plan")
        self.query_one(TextPane).show(text)

    def _refuse(self, options: Options | OpOptions, error: TTMatrixError) -> None:
        """Say in place of the plan why there is none; other options may have one."""
        if self.is_attached and options == self._wanted:
            self._then, self._refused = None, True
            self._say(Text(problem_words(error)))

    def _show(self, options: Options | OpOptions, plan: LaunchPlan) -> None:
        if self.is_attached and options == self._wanted:
            self.plan = plan
            self._say(launch_text(plan))
            then, self._then = self._then, None
            if then is not None:
                then()

    def on_number_refused(self) -> None:
        self.context.notify.info("Only digits can be typed here.")

    def on_input_submitted(self) -> None:
        # By way of the input: enter then comes after the digits typed before it, however fast they came.
        self.action_start()

    def action_start(self) -> None:
        """Start the plan that is shown."""
        if self.plan is None:
            self._wait(self.action_start)
        elif self.plan.specs:
            self.dismiss(self.plan)

    def _wait(self, then: Callable[[], None]) -> None:
        """Do what a person wants once there is a plan."""
        if not self._refused:
            self._then = then

    def action_copy(self) -> None:
        if self.plan is None:
            self._wait(self.action_copy)
        else:
            self.context.notify.copy(printable("\n".join(shell_command(spec) for spec in self.plan.specs)))

    def action_page(self, pages: int) -> None:
        self.query_one(TextPane).scroll_relative(y=pages * self.query_one(TextPane).size.height, animate=False)


class Launch(_LaunchDialog):
    """Tests of models."""

    def __init__(self, context: Context, ids: Sequence[str], name: str, hours: float | None = None) -> None:
        """`hours`: only the first tests that fit into so long, by the estimates of the chosen kind."""
        super().__init__(context, ids, name)
        self._hours = hours

    def fields(self) -> Iterator[tuple[str, Widget]]:
        session = self._session
        archs = [(NO_ARCH, "this machine's, else any"), *((arch, arch) for arch in session.matrix.schema.archs)]
        if found := self._of_hosts(session.hosts):
            archs.append((_EACH, f"each that hosts have: {', '.join(found)}"))
        # Who has taken machines up wants to run there.
        up = {one.name for one in session.cluster.hosts if one.state == "up"} if session.cluster else set()
        there = bool(self._of_hosts([one for one in session.hosts if one.name in up]))
        arch = session.view.arch or (_EACH if there else NO_ARCH)
        profiles = [("", "none"), *((name, name) for name in self._profiles())]
        kinds = [("", _BY_PROFILE), *((name, name) for name in KINDS)]
        yield "kind", Cycle(kinds, "device" if there else "", id="kind")
        yield "arch", Cycle(archs, arch, id="arch")
        yield "profile", Cycle(profiles, "", id="profile")
        yield "repeat", Number("times; empty: once", id="repeat")
        yield "timeout", Number("seconds; empty: from the settings; 0: none", id="timeout")
        yield "on failure", Cycle([("", "continue"), ("stop", "start no more of these runs")], "", id="stop")
        others = [("", "with nothing"), (DEFAULT_PROFILE, "with no profile"), *profiles[1:]]
        yield "compare", Cycle(others, "", id="other")
        yield "sweep", Cycle([("", "no option"), *((one, one) for one in _SWEEPS)], "", id="sweep")
        path = PathInput(placeholder="a new directory; empty: only that of the run", id="export-path")
        tensors = [("", "with generated code only"), ("yes", "weights and inputs too"), ("no", "none")]
        exported = Cycle(tensors, "", id="export-tensors")
        # No kind that exports is chosen at first.
        path.display = exported.display = False
        yield "export to", path
        yield "tensors", exported

    def on_cycle_changed(self) -> None:
        self._show_fields()

    def _show_fields(self) -> None:
        """Show the fields that mean something to the kind."""
        for names, shown in ((_EXPORTING, self._exports), (_COMPARING, not self._exports)):
            for name in names:
                self.query_one(Form).show(name, shown)

    @property
    def _exports(self) -> bool:
        return self.value("kind") in EXPORT_KINDS

    def hints(self) -> Mapping[str, str]:
        # A path may have any letter.
        return {"y": ""} if isinstance(self.focused, PathInput) else {}

    def _of_hosts(self, hosts: Sequence[Host]) -> tuple[str, ...]:
        return planning.archs_of_hosts(hosts, self._session.matrix.schema.archs)

    def _profiles(self) -> Sequence[str]:
        """The profiles of the settings and of the checkout; a checkout's file with a mistake gives none."""
        session = self._session
        try:
            return sorted(planning.known_profiles(session.checkout, session.settings))
        except TTMatrixError as error:
            self.context.notify.error(error)
            return sorted(session.settings.profiles)

    def chosen(self) -> Options:
        other, swept = ("", "") if self._exports else (self.value("other"), self.value("sweep"))
        names = [name for name in (self.value("profile") or DEFAULT_PROFILE, other) if name]
        first, *others = planning.with_sweep(names, swept)
        arch = self.value("arch")
        return Options(
            kind=self.value("kind"),
            arch=NO_ARCH if arch == _EACH else arch,
            archs=self._of_hosts(self._session.hosts) if arch == _EACH else (),
            profile=first,
            others=tuple(others),
            repeat=max(1, self.number("repeat") or 1),
            timeout=self.number("timeout"),
            stop_on_failure=bool(self.value("stop")),
            export=self._export() if self._exports else Export(),
            hours=self._hours,
        )

    def _export(self) -> Export:
        text = self.query_one("#export-path", Input).value.strip()
        place = Path(text).expanduser().absolute() if text else None
        return Export(place, _WITH_TENSORS[self.value("export-tensors")])

    def planner(self) -> Callable[[], LaunchPlan]:
        session = self._session
        runs, records = session.store.root, session.runs
        return partial(
            plan_launch, session.matrix, self.ids, session.settings, self.chosen(), runs=runs, records=records
        )


class LaunchOps(_LaunchDialog):
    """Op cases, as one batch for each backend."""

    def fields(self) -> Iterator[tuple[str, Widget]]:
        backends = [(name, name) for name in dict.fromkeys((*BACKENDS, ops.default_backend()))]
        yield "backend", Cycle(backends, ops.default_backend(), id="backend")
        yield "and on", Cycle([("", "no other"), *backends], "", id="other")
        yield "skipped", Cycle([("", "leave out"), ("run", "run too")], "", id="skipped")
        yield "equal cases", Cycle([("", "run once"), ("each", "run each")], "", id="equal")
        yield "repeat", Number("times; empty: once", id="repeat")
        yield "timeout", Number("seconds for the batch; empty: none", id="timeout")

    def chosen(self) -> OpOptions:
        return ops.OpOptions(
            backends=tuple(filter(None, (self.value("backend"), self.value("other")))),
            run_skipped=bool(self.value("skipped")),
            dedupe=not self.value("equal"),
            repeat=max(1, self.number("repeat") or 1),
            timeout=self.number("timeout"),
        )

    def planner(self) -> Callable[[], LaunchPlan]:
        session = self._session
        return partial(
            ops.plan_op_launch,
            session.checkout,
            self.ids,
            session.settings,
            self.chosen(),
            own=session.paths,
            records=session.runs,
        )


class PathInput(TextField):
    """The place of a file or a directory."""


class Number(TextField):
    """A whole number; keys that are not digits are left to the dialog."""

    class Refused(Message):
        """Something else was typed."""

    def __init__(self, placeholder: str, *, id: str) -> None:
        super().__init__(placeholder=placeholder, id=id, restrict=r"\d{0,6}")

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return character is not None and character.isdigit()

    def on_key(self, event: Key) -> None:
        if event.is_printable and not self.check_consume_key(event.key, event.character):
            self.post_message(self.Refused())
