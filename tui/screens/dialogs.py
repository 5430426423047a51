# SPDX-License-Identifier: Apache-2.0
"""Small questions and notices in front of a screen."""

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar, NamedTuple, TypeVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Label

from core.base.errors import TTMatrixError
from core.base.text import capital, counted, one_line, printable
from core.runs.planning import MANY, Download, LaunchPlan, Obstacle, Scale, download_lines, scale_of
from tui.key_names import ARROWS, key_name
from tui.screens.base import SessionScreen
from tui.textual_private import LatePainted
from tui.view_models import launch_summary
from tui.widgets import Cycle, DialogBox, TextField

T = TypeVar("T")

LEAST_TYPED = 70
"""Cells of a line to type in."""
MOST_TYPED = 100
"""Cells that a form has for values at most: one may be as long as a log."""


_KEY_STYLE = "bold $footer-key-foreground"


class DialogKey(NamedTuple):
    """A key of a dialog. What it does, its words on the line of hints and those in the list of keys come from here."""

    keys: str
    """Textual's names, separated by commas; the hint names the first."""
    action: str
    """Empty: it is a key of `of`."""
    hint: str
    """Its words on the line of hints; neighbours with the same words share them. Empty: it is not there."""
    help: str = ""
    """Its words in the list of keys; empty: those of the hint."""
    of: type[Widget] | None = None
    """The kind of field in the dialog whose key it is."""
    ahead: bool = False
    """Whether it comes before the keys of the fields."""


FIELDS = (
    DialogKey("up", "app.focus_previous", "field", "Previous field"),
    DialogKey("down", "app.focus_next", "field", "Next field"),
)
"""The keys of a form."""
CHOOSE = (DialogKey("left", "", "choose", of=Cycle), DialogKey("right", "", "choose", of=Cycle))
"""The keys of a choice in it."""


class Dialog(LatePainted[T]):
    """A box in the middle; escape leaves it with None."""

    KEYS: ClassVar[Sequence[DialogKey]] = ()
    """Its own keys in the order of use, without escape."""
    LEAVE: ClassVar[str] = "cancel"
    """The word of escape."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        # The keys of the app do not reach a dialog.
        Binding("question_mark,f1", "app.help", "List the keys; in a text f1 alone", show=False),
    ]

    def __init_subclass__(cls, **options: Any) -> None:
        # Before Textual merges them with those of the base classes.
        if "KEYS" in vars(cls):
            cls.BINDINGS = [
                Binding(one.keys, one.action, one.help or capital(one.hint), show=False, priority=one.ahead)
                for one in cls.KEYS
                if one.action
            ]
        super().__init_subclass__(**options)

    def action_leave(self) -> None:
        self.dismiss(None)

    def hints(self) -> Mapping[str, str]:
        """Other words for keys as they are now, by `DialogKey.keys`; empty: the key does nothing now."""
        return {}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        hints = self.hints()
        return not any(one.action.partition("(")[0] == action and hints.get(one.keys) == "" for one in self.KEYS)

    def hint_label(self) -> Label:
        """The line of hints: the keys in the order of use, escape last."""
        return Label(self.hint_line(), id="dialog-hint")

    def said_first(self) -> str:
        """Words before the keys on the line of hints."""
        return ""

    def hint_words(self) -> str:
        """The words of the line of hints as they are now."""
        return self.hint_line().plain

    def hint_line(self) -> Content:
        """The line of hints: keys as the line of keys of a screen has them."""
        hints = self.hints()
        keys = (*self.KEYS, DialogKey("escape", "leave", self.LEAVE))
        said = [(one, hints.get(one.keys, one.hint)) for one in keys if self._works(one)]
        parts = [Content(self.said_first())] if self.said_first() else []
        for words, group in groupby(said, key=lambda one: one[1]):
            if words:
                names = " ".join(_hint_name(one) for one, _ in group)
                parts.append(Content.assemble((names, _KEY_STYLE), f" {words}"))
        return Content("   ").join(parts)

    def box(self, *texts: str, width: int = 0, lines: int = 0) -> DialogBox:
        """The box, as large as `texts`, the keys, and what needs `width` cells and `lines` lines."""
        return DialogBox(*texts, self.hint_words(), width=width, lines=lines)

    def _works(self, one: DialogKey) -> bool:
        # A person may have given the key of a field to something else; that can be seen where the field has the focus.
        return one.of is None or not isinstance(self.focused, one.of) or one.keys in self.active_bindings

    def show_hint(self) -> None:
        """Show the line of hints as it is now."""
        hint = self.hint_line()
        for label in self.query("#dialog-hint").results(Label):
            if str(label.visual) != hint.plain:
                label.update(hint)

    def on_descendant_focus(self) -> None:
        self.show_hint()

    def say_problem(self, problem: str) -> str:
        """Say on the line for it what is wrong with what is typed, and return it; empty: nothing."""
        self.query_one(".problem", Label).update(Text(one_line(problem)))
        return problem

    def key_words(self) -> list[tuple[str, str]]:
        """The keys that work in it now, each with what it does: those of its line of hints first, a field's last."""
        hints = self.hints()
        own = {
            key: hints.get(one.keys) or one.help or one.hint
            for one in self.KEYS
            if one.of is None or isinstance(self.focused, one.of)
            for key in one.keys.split(",")
        }
        order = [*own, "escape"]
        found: dict[tuple[int, str], tuple[list[str], str]] = {}
        for node, binding, enabled, tooltip in self.active_bindings.values():
            if enabled and node is not self.app:
                stock = (tooltip or binding.description).capitalize()
                words = own.get(binding.key) or _STOCK.get(stock, stock)
                place = order.index(binding.key) if binding.key in order else len(order) + (node is not self)
                keys, _ = found.setdefault((place, binding.action), ([], capital(words)))
                keys.append(key_name(binding.key))
        return [(" ".join(keys), words) for _, (keys, words) in sorted(found.items(), key=lambda one: one[0][0])]


_STOCK = {"Focus next": "Next field", "Focus previous": "Previous field"}
"""Plainer words for those of Textual."""


def _hint_name(one: DialogKey) -> str:
    first = one.keys.partition(",")[0]
    return ARROWS.get(first) or key_name(first)


class Confirm(Dialog[bool]):
    """A question answered by a key that is not the one that raised it.

    A question that is not `ready` is asked before its body is known, so that keys typed in a burst are for it and not
    for the screen below: an answer waits for `complete`.
    """

    KEYS = (DialogKey("y", "yes", "yes"), DialogKey("I", "other", "otherwise"))

    def __init__(self, title: str, body: str, *, verb: str, ready: bool = True, other: str = "") -> None:
        """`other` is another way to do it: it answers False, with `other_chosen`."""
        super().__init__()
        self._other = other
        self.other_chosen = False
        self._title = title
        self._body = body
        self._verb = verb
        self._ready = ready
        self._answered = False

    def compose(self) -> ComposeResult:
        title, body = printable(self._title), printable(self._body)
        with self.box(title, body):
            yield Label(Text(title), id="dialog-title")
            yield Label(Text(body), id="question")
            yield self.hint_label()

    def hints(self) -> Mapping[str, str]:
        return {"y": self._verb, "I": self._other}

    def action_yes(self) -> None:
        self._answered = True
        if self._ready:
            self.dismiss(True)

    def action_other(self) -> None:
        """Do it in the other way."""
        self.other_chosen = True
        self.dismiss(False)

    def complete(self, body: str) -> None:
        """The body is known; an answer given before counts now."""
        self._body, self._ready = body, True
        if self._answered:
            self._close(True)
        elif self.is_attached:
            self.query_one("#question", Label).update(Text(printable(body)))
            self.query_one(DialogBox).hold(printable(body))

    def withdraw(self) -> None:
        """There is nothing to ask after all."""
        self._close(False)

    def _close(self, answer: bool) -> None:
        # The person may have left the question meanwhile.
        if self.is_current:
            self.dismiss(answer)


class Notice(Dialog[None]):
    """An error a person must read: what, where, and what to do."""

    KEYS = (DialogKey("enter,q", "leave", "", "Close"),)
    LEAVE = "close"

    def __init__(self, error: TTMatrixError) -> None:
        super().__init__(classes="error")
        self._error = error

    def compose(self) -> ComposeResult:
        # The frame says that it is an error by its colour alone.
        title = f"✗ {printable(self._error.title)}"
        words = printable("\n".join(filter(None, (self._error.detail, self._error.hint))))
        with self.box(title, words):
            yield Label(Text(title), id="dialog-title")
            yield Label(Text(words))
            yield self.hint_label()


class Ask(Dialog[str]):
    """A question answered by one line of text.

    Why an answer is rejected is said here, and what was typed stays to be corrected.
    """

    KEYS = (DialogKey("enter", "", "continue", of=TextField),)

    def __init__(
        self,
        title: str,
        body: str = "",
        *,
        value: str = "",
        verb: str = "continue",
        check: Callable[[str], object] = lambda _: None,
        doubt: Callable[[str], str] = lambda _: "",
        empty: bool = False,
    ) -> None:
        """`check` raises TTMatrixError for a wrong answer; `doubt` says what is odd about a possible one.

        With `empty`, nothing is an answer too.
        """
        super().__init__()
        self._title = title
        self._body = body
        self._value = value
        self._verb = verb
        self._check = check
        self._doubt = doubt
        self._doubted: str | None = None
        self._empty = empty

    def compose(self) -> ComposeResult:
        title, body = printable(self._title), printable(self._body)
        with self.box(title, body, width=max(LEAST_TYPED, cell_len(self._value) + 1)):
            yield Label(Text(title), id="dialog-title")
            if body:
                yield Label(Text(body + "\n"))
            yield TextField(self._value)
            yield Label("", classes="problem")
            yield self.hint_label()

    def hints(self) -> Mapping[str, str]:
        return {"enter": self._verb}

    def on_input_changed(self) -> None:
        self.say_problem("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if not (event.value.strip() or self._empty):
            self.say_problem("Nothing is typed yet.")
        elif not self.say_problem(self._problem(event.value)):
            self.dismiss(event.value)

    def _problem(self, text: str) -> str:
        """The problem of an answer, or a doubt about it; a doubt is raised only once."""
        try:
            self._check(text)
        except TTMatrixError as error:
            return problem_words(error)
        doubt = self._doubt(text) if text != self._doubted else ""
        self._doubted = text
        return f"{doubt} Enter again to {self._verb} it anyway." if doubt else ""


def problem_words(error: TTMatrixError) -> str:
    """An error in one sentence or two, for a line of a form."""
    parts = (
        part.rstrip(".?") + ("?" if part.endswith("?") else ".")
        for part in (error.title, error.detail, error.hint)
        if part
    )
    return " ".join(parts)


def ask_to_start(screen: SessionScreen, plan: LaunchPlan, *about: str) -> None:
    """Ask on `screen`, and start the runs on a yes; where none can be run, say why. `about` are lines about them."""
    if not plan.specs:
        screen.context.notify.error(next(iter(plan.refused), TTMatrixError("Nothing to run")))
        return
    lines = [launch_summary(plan), *about, *(f"download: {one_line(line)}" for line in download_lines(plan.downloads))]
    if plan.refused:
        lines.append(f"{len(plan.refused):,} cannot be run: {plan.refused[0].title}")
    scale = scale_of(plan.specs, plan.downloads, screen.session.store.root)
    if scale.large:
        lines += scale.lines
    question = Confirm(f"Start {counted(len(plan.specs), 'device run')}?", "\n".join(lines), verb="start")
    screen.app.push_screen(question, lambda yes: screen.context.runs.start_planned(plan, asked=True) if yes else None)


def ask_to_download(
    app: App[Any],
    downloads: Sequence[Download],
    go_on: Callable[[], None],
    about: Sequence[Obstacle] = (),
    *,
    names: str = "",
    leave: Callable[[], None] = lambda: None,
) -> None:
    """Ask once for all that runs download, and `go_on` on a yes, or else `leave`.

    `about` are caches, and what cannot be had at all; `names` says which tests it is for.
    """
    whose = [f"For {names}:"] if names else []
    question = Confirm("Download this first?", _body(whose, downloads, about), verb="download and start")
    app.push_screen(question, lambda yes: go_on() if yes else leave())


def ask_once_more(
    app: App[Any],
    scale: Scale,
    downloads: Sequence[Download],
    go_on: Callable[[], None],
    about: Sequence[Obstacle] = (),
) -> None:
    """Ask once more, with the numbers, before many runs start, or what downloads nobody knows how much."""
    many = scale.tests > MANY
    # Names of hundreds of downloads would fill the screen; the plan has them.
    body = "\n".join(scale.lines) if many else _body([*scale.lines, ""], downloads, about)
    title = f"Start {counted(scale.runs, 'run')}?" if many else "Download this first?"
    question = Confirm(title, body, verb="download and start" if downloads else "start")
    app.push_screen(question, lambda yes: go_on() if yes else None)


def _body(first: Sequence[str], downloads: Sequence[Download], about: Sequence[Obstacle]) -> str:
    lines = [*first, *download_lines(downloads), *(f"{one.what}. {one.remedy}" for one in about)]
    return "\n".join(map(one_line, lines))
