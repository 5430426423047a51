# SPDX-License-Identifier: Apache-2.0
"""The command line: a command found by what it does, or a verb with what is typed behind it."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from textual.app import ComposeResult
from textual.widgets import Input, Label

from core.base.errors import TTMatrixError
from core.base.text import one_line
from tui.commands import Command
from tui.key_names import key_text
from tui.screens.dialogs import DialogKey, problem_words
from tui.screens.list_dialog import ListDialog
from tui.screens.pick import PICK_KEYS, Option, option_rows
from tui.widgets import RowTable, TextField

_TITLES = ("command", "what it does", "key")
_MORE = " …"
"""Behind a verb in the list: an argument follows. Commands do what they do at once."""
_LEAST = 96
"""Cells of the list: arguments need more than names of commands."""
_MOST = 200
"""Values that are listed at most: a letter more brings others."""


class Verb(NamedTuple):
    """A command with an argument: `theme light`."""

    name: str
    help: str
    values: Callable[[], Sequence[tuple[str, str]]]
    """Its possible arguments, each with a word about it; examples where anything is possible."""
    run: Callable[[str], None]
    """Do it. Raises TTMatrixError for an argument that it cannot have."""
    alone: Callable[[], str] | None = None
    """The argument that it has where none is typed; None: it needs one."""


class Chosen(NamedTuple):
    """A choice on the line: a command, a verb, or an argument of the verb that is typed."""

    typed: str
    """The line once it is completed."""
    take: Callable[[], object]
    """The act of enter."""
    words: str = ""
    """More words that find it."""


Found = Option[Chosen]


class CommandLine(ListDialog[Command]):
    """Dismissed with the command to run; a verb is done when the line has gone."""

    KEYS = (
        *PICK_KEYS,
        DialogKey("tab", "complete", "complete", ahead=True),
        DialogKey("enter", "", "run", of=TextField),
    )

    def __init__(self, commands: Sequence[Command], verbs: Sequence[Verb], elsewhere: Sequence[Command] = ()) -> None:
        """`elsewhere` are found by words only, and say where they work instead of being run."""
        super().__init__()
        self._verbs = {verb.name: verb for verb in verbs}
        self._known: dict[str, Arguments] = {}
        self._all = [command_option(one, partial(self.dismiss, one)) for one in commands]
        self._all += [
            Option(Chosen(f"{one.name} ", partial(self._take, one)), f"{one.name}{_MORE}", one.help) for one in verbs
        ]
        self._listed: Sequence[Found] = self._all
        """The options that match what is typed."""
        self._elsewhere = [command_option(one, partial(self.say_problem, f"{one.help}.")) for one in elsewhere]

    def compose(self) -> ComposeResult:
        table = RowTable(option_rows(self._all, self._all, _TITLES))
        # What is typed stays in the line: a click chooses, two take.
        table.can_focus = False
        with self.list_box(table, above=2, least=_LEAST):
            yield TextField(placeholder="a command, or what it does", id="command-line")
            yield Label("", classes="problem")
            yield table
            yield self.hint_label()

    @property
    def _line(self) -> Input:
        return self.query_one("#command-line", Input)

    @property
    def _table(self) -> RowTable:
        return self.query_one(RowTable)

    def _arguments(self, verb: Verb) -> "Arguments":
        """The arguments of a verb: asked once for all letters that are typed."""
        if verb.name not in self._known:
            self._known[verb.name] = Arguments(verb.values())
        return self._known[verb.name]

    def _typed(self) -> tuple[Verb | None, str]:
        """The verb that is typed with a space behind it, and its argument."""
        name, space, argument = self._line.value.lstrip().partition(" ")
        return (self._verbs.get(name), argument.strip()) if space else (None, "")

    def on_input_changed(self) -> None:
        self.say_problem("")
        verb, argument = self._typed()
        if verb is None:
            found = found_options(self._all, self._line.value)
            found += found_options(self._elsewhere, self._line.value) if self._line.value.strip() else []
            self._listed = found
            self._table.show(option_rows(found, self._all, _TITLES))
            self._table.say_when_empty("There is no such command.")
        else:
            values = [
                Option(Chosen(f"{verb.name} {value}", partial(self._run, verb, value)), value, note)
                for value, note in self._arguments(verb).containing(argument)
            ]
            self._listed = values
            self._table.show(option_rows(values, values, (verb.name, "", "")))
            self._table.say_when_empty(f"enter runs: {verb.name} {one_line(argument)}")
        self._table.cursor = 0

    def on_input_submitted(self) -> None:
        # By way of the input: enter then comes after the letters typed before it, however fast they came.
        verb, argument = self._typed()
        chosen = self._chosen
        if verb is not None and (chosen is None or self._arguments(verb).has(argument)):
            self._run(verb, argument)
        elif chosen is not None:
            chosen.take()

    def _take(self, verb: Verb) -> None:
        """Run a verb that needs no argument; another one is completed, since that is what it lacks."""
        if verb.alone is None:
            self.action_complete()
        else:
            self._run(verb, verb.alone())

    def action_move(self, rows: int) -> None:
        self._table.action_move(rows)

    def action_complete(self) -> None:
        """Type what is under the cursor."""
        if self._chosen is not None:
            self._line.value = self._chosen.typed
        self._line.cursor_position = len(self._line.value)

    @property
    def _chosen(self) -> Chosen | None:
        """The choice under the cursor."""
        return self._listed[self._table.cursor].value if self._table.cursor < len(self._listed) else None

    def _run(self, verb: Verb, argument: str) -> None:
        try:
            verb.run(argument)
        except TTMatrixError as error:
            self.say_problem(problem_words(error))


def command_option(one: Command, take: Callable[[], object]) -> Found:
    """A command among the options, which is also found by its id and its other names."""
    words = f"{one.id.replace('.', ' ')} {one.aliases}"
    return Option(Chosen(one.label, take, words), one.label, one.help, key_text(one), one.off)


def found_options(options: Sequence[Found], text: str) -> list[Found]:
    """The options that match each word typed by the beginning of a word: in the name first, then in the help."""
    words = text.lower().split()
    named = [one for one in options if _begun(words, one.name)]
    named.sort(key=lambda one: one.name.lower().removesuffix(_MORE) != " ".join(words))
    return named + [one for one in options if one not in named and _begun(words, _about(one))]


def _about(option: Found) -> str:
    return f"{option.name} {option.help} {option.value.words}"


def _begun(words: Sequence[str], text: str) -> bool:
    known = "".join(one if one.isalnum() else " " for one in text.lower()).split()
    return all(any(one.startswith(word) for one in known) for word in words)


class Arguments:
    """The arguments of a verb; there may be as many as there are tests."""

    def __init__(self, values: Sequence[tuple[str, str]]) -> None:
        """Each value comes with a word about it."""
        self._values = values
        self._texts = [f"{value} {note}".lower() for value, note in values]

    def has(self, text: str) -> bool:
        """Whether that is one of them."""
        return any(value == text for value, _ in self._values)

    def containing(self, text: str) -> list[tuple[str, str]]:
        """The first of those that have each word typed; before all others those that begin as what is typed does.

        `field=` is the beginning of a value; what follows it may be in the middle: `status=xfail`.
        """
        texts, begin = self._texts, text.lower()
        field, equals, words = begin.rpartition("=")
        found: Sequence[int] = range(len(texts))
        if equals:
            # What a note says is no value.
            texts = [value.lower() for value, _ in self._values]
            found = [at for at in found if texts[at].startswith(f"{field}=")]
        for word in words.split():
            found = [at for at in found if word in texts[at]]
        first = [at for at in found if texts[at].startswith(begin)][:_MOST]
        others = (at for at in found if not texts[at].startswith(begin))
        return [self._values[at] for at in (*first, *islice(others, _MOST - len(first)))]
