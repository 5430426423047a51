# SPDX-License-Identifier: Apache-2.0
"""The form that sets fields of one entry or op case, or of many."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Input, Label

from core.base.errors import UsageError
from core.edits import FieldForm, FormField, NoOp, Operation
from tui.screens.dialogs import CHOOSE, FIELDS, MOST_TYPED, Dialog, DialogKey, problem_words
from tui.view_models import counted
from tui.widgets import Cycle, DialogBox, Form, TextField

_AROUND = 3
"""Lines of the dialog beside its fields, its title and its keys: a problem, and those between."""
_VARIOUS = "\N{HORIZONTAL ELLIPSIS}"
"""The value of a choice on which the entries differ: left there, it changes nothing."""


class SetFields(Dialog[Sequence[Operation]]):
    """Returns the operations for the changed fields."""

    AUTO_FOCUS = ""
    """`on_mount` sets the focus. On another field first, it would cost the styles of both."""
    KEYS = (*FIELDS, *CHOOSE, DialogKey("enter", "propose", "propose"))

    def __init__(self, form: FieldForm, name: str, waiting: int = 0) -> None:
        """`name` says whose fields they are, `waiting` how many pending changes of them the values do not include."""
        super().__init__()
        self._title = name
        self._waiting = waiting
        self._form = form
        self._before: dict[str, str | None] = {}
        self._refused: Sequence[Operation] = ()
        """The last proposal that was found to have no effect."""
        self._leaving = False
        """Whether it was said that leaving drops what is changed."""
        self._doubted = ""
        """The markers that were asked about last."""

    def compose(self) -> ComposeResult:
        scopes = self._form.scopes
        fields = [
            ("set for", Cycle(scopes, scopes[0][0], id="scope")),
            *((field.name, self._editor(field)) for field in self._form.fields),
        ]
        waiting = [f"As in the files, without {counted(self._waiting, 'pending change')}"] if self._waiting else []
        with self.box(self._title, *waiting, lines=len(fields) + _AROUND + len(waiting)):
            yield Label(Text(self._title), id="dialog-title")
            for words in waiting:
                yield Label(words, id="form-waiting")
            yield Form(fields)
            yield Label("", id="form-problem", classes="problem")
            yield self.hint_label()

    def _editor(self, field: FormField) -> Cycle | Input:
        if field.choices:
            return Cycle([("", "not set")], "", id=f"field-{field.name}")
        return TextField(id=f"field-{field.name}")

    def on_mount(self) -> None:
        self._fill()
        self.query_one(DialogBox).hold(width=self.query_one(Form).roomy(MOST_TYPED))
        # At once: what is typed right after the key that opened the form is for the form.
        self.set_focus(self._field(self._form.fields[0].name))

    def on_cycle_changed(self, event: Cycle.Changed) -> None:
        self._leaving = False
        if event.cycle.id == "scope":
            # What was typed stays, for the other scope.
            typed = self._changed()
            self._fill()
            for name, text in typed.items():
                editor = self._field(name)
                editor.value = text

    def _fill(self) -> None:
        """Show what the entries have in the chosen scope."""
        scope = self.query_one("#scope", Cycle).value
        for field in self._form.fields:
            present = self._form.present(scope, field.name)
            self._before[field.name] = present
            editor = self._field(field.name)
            if isinstance(editor, Cycle):
                various = [(_VARIOUS, "(different values)")] if present is None else []
                own = [(present, present)] if present and present not in field.choices else []
                editor.options = (*various, ("", "not set"), *own, *((one, one) for one in field.choices))
                editor.value = _VARIOUS if present is None else present
            else:
                editor.value = present or ""
                editor.placeholder = "(different values; empty: unchanged)" if present is None else "not set"

    def on_input_submitted(self) -> None:
        # By way of the input: enter then comes after the letters typed before it, however fast they came.
        self.action_propose()

    def on_input_blurred(self, event: Input.Blurred) -> None:
        """Leaving a field checks its value."""
        self._check(self._changed())

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input.has_focus:
            self._leaving = False
            event.input.remove_class("wrong")
            self.say_problem("")

    def action_leave(self) -> None:
        """Leave the form; what is changed in it is dropped only when asked again."""
        if self._changed() and not self._leaving:
            self._leaving = True
            self.say_problem("Nothing is proposed yet: esc again drops what you have changed here.")
        else:
            self.dismiss(None)

    def action_propose(self) -> None:
        """Propose what has an effect. If nothing has, say why; asked again, propose it anyway."""
        scope, changed = self.query_one("#scope", Cycle).value, self._changed()
        if wrong := self._check(changed):
            self.set_focus(self._field(wrong))
        elif not changed:
            self.say_problem("Nothing is changed yet; esc closes the form.")
        elif doubt := self._doubt(changed):
            self.say_problem(f"{doubt} Enter again proposes it anyway.")
            self.set_focus(self._field("markers"))
        else:
            try:
                self._propose(self._form.operations(scope, changed))
            except UsageError as error:
                self.say_problem(problem_words(error))

    def _propose(self, operations: Sequence[Operation]) -> None:
        telling, no_ops = self._form.sifted(operations)
        if not operations:
            self.say_problem("No change: every entry already has this value.")
        elif telling or not no_ops or operations == self._refused:
            self.dismiss(telling or operations)
        else:
            self._refused = operations
            self.say_problem(f"No effect: {_reasons(no_ops)}. Enter again proposes it anyway.")

    def _check(self, names: Iterable[str]) -> str:
        """Show the first problem among fields and return its field; empty: no problem."""
        changed = self._changed()
        for name in names:
            try:
                self._form.read(name, changed.get(name, ""))
            except UsageError as error:
                self._field(name).add_class("wrong")
                self.say_problem(problem_words(error))
                return name
        return ""

    def _doubt(self, changed: Mapping[str, str]) -> str:
        """A doubt about markers, raised only once."""
        markers = changed.get("markers", "")
        asked, self._doubted = self._doubted, markers
        return self._form.doubt(changed) if markers != asked else ""

    def _field(self, name: str) -> Cycle | Input:
        editor = self.query_one(f"#field-{name}")
        assert isinstance(editor, Cycle | Input)
        return editor

    def _changed(self) -> dict[str, str]:
        changed = {}
        for field in self._form.fields:
            text = self._field(field.name).value
            before = self._before[field.name]
            untouched = text in ("", _VARIOUS) if before is None else text.strip() == before.strip()
            if not untouched:
                changed[field.name] = text
        return changed


def _reasons(no_ops: Sequence[NoOp]) -> str:
    """The most frequent reason, and how many more there are."""
    (why, _), *others = Counter(one.why for one in no_ops).most_common()
    return f"{why}, and {counted(len(others), 'other reason')}" if others else why
