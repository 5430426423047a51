# SPDX-License-Identifier: Apache-2.0
"""The table of commands: no key has two meanings, none is reserved by the terminal, each has an action, and each action a key."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest
from textual.binding import Binding
from textual.dom import DOMNode

from tests.reference import declared_classes
from tui.commands import Command, HasCommands, Need, Where, all_commands, command, commands
from tui.commands.declare import declared
from tui.key_names import key_text
from tui.keymap import TERMINAL_KEYS, TOGETHER
from tui.screens import SCREENS


def _clashes(places: Iterable[Where]) -> list[tuple[str, str, str]]:
    """Keys with two meanings while all of `places` are in front: (key, command, command)."""
    seen: dict[str, str] = {}
    found = []
    for one in commands(*places):
        for key in one.keys.split(","):
            if key in seen:
                found.append((key, seen[key], one.id))
            seen[key] = one.id
    return found


@pytest.mark.parametrize("places", [*TOGETHER, *((entry.where,) for entry in SCREENS)])
def test_no_key_means_two_things_at_once(places: tuple[Where, ...]) -> None:
    assert _clashes((Where.APP, *places)) == []


def test_a_clash_would_be_found() -> None:
    assert ("r", "matrix.run", "runs.again") in _clashes((Where.MATRIX, Where.RUNS))


def test_no_key_of_the_terminal_is_bound() -> None:
    assert not {key for command in all_commands() for key in command.keys.split(",")} & TERMINAL_KEYS
    assert [command.id for command in all_commands() if "ctrl+z" in command.keys] == ["app.suspend"]


def test_nothing_destructive_hides_behind_a_key_that_is_harmless_elsewhere() -> None:
    harmless = {key for one in commands(Where.MATRIX, Where.TABLE, Where.LINES) for key in one.keys.split(",")}
    assert not {"S"} & harmless


def _without_action(classes: Mapping[type, Sequence[Command]]) -> list[str]:
    """Commands whose class has no such action."""
    return [
        f"{one.id}: {owner.__name__} has no method action_{one.action.partition('(')[0]}"
        for owner, records in classes.items()
        for one in records
        if not callable(getattr(owner, f"action_{one.action.partition('(')[0]}", None))
    ]


def _without_record(classes: Iterable[type[DOMNode]]) -> list[str]:
    """Actions that no key runs: neither one of their class nor of a class made of it."""
    return [
        f"{kind.__name__}.{name}"
        for kind in classes
        for name in vars(kind)
        if name.startswith("action_") and name.removeprefix("action_") not in {*_bound(kind)}
    ]


def _bound(kind: type[DOMNode]) -> Iterator[str]:
    for one in (*kind.__mro__, *_below(kind)):
        for binding in vars(one).get("BINDINGS", ()):
            if isinstance(binding, Binding):
                yield binding.action.partition("(")[0]


def _records(kind: type) -> tuple[Command, ...]:
    return declared().get(kind, ())


def _below(kind: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


def test_every_command_has_an_action_and_every_action_a_key() -> None:
    found = declared_classes()
    assert _without_action(found) == []
    own = [kind for kind in _below(DOMNode) if kind.__module__.startswith("tui.")]
    assert {*own} >= found.keys()
    assert _without_record(own) == []


def test_a_command_without_action_and_an_action_without_key_would_be_found() -> None:
    class Made(HasCommands, DOMNode):
        @command("made.up", Where.APP, "x", "Up", "Go up", action="nowhere")
        def action_up(self) -> None: ...

    (binding,) = Made.BINDINGS
    assert isinstance(binding, Binding) and binding.action == "nowhere"
    assert _without_action({Made: _records(Made)}) == ["made.up: Made has no method action_nowhere"]
    assert _without_record([Made]) == ["Made.action_up"]


def test_a_record_is_beside_its_action_also_where_that_is_inherited_or_has_several() -> None:
    class Base(HasCommands, DOMNode):
        def action_undo(self) -> str:
            return "undone"

    class Below(Base):
        @command("made.on", Where.APP, "n", "Next", "Next one", action="step(1)")
        @command("made.off", Where.APP, "p", "Previous", "Previous one", action="step(-1)", needs=Need.UNDO)
        def action_step(self, steps: int) -> int:
            return steps

        action_undo = command("made.undo", Where.APP, "u", "Undo", "Undo the step")(Base.action_undo)

    assert [(one.id, one.action) for one in _records(Below)] == [
        ("made.on", "step(1)"),
        ("made.off", "step(-1)"),
        ("made.undo", "undo"),
    ]
    assert _records(Base) == () and Below.action_undo is Base.action_undo
    assert Below().action_step(2) == 2


def test_every_screen_is_at_the_place_of_its_commands() -> None:
    owners: dict[Where, set[type]] = {}
    for owner, records in declared_classes().items():
        for one in records:
            owners.setdefault(one.where, set()).add(owner)
    assert [where for where, found in owners.items() if len(found) > 1] == []
    assert {entry.where: {entry.load()} for entry in SCREENS}.items() <= owners.items()


def test_ids_are_unique_and_texts_are_short() -> None:
    assert len({command.id for command in all_commands()}) == len(all_commands())
    long = [command.id for command in all_commands() if len(command.label.split()) > 2 or len(command.help) > 60]
    assert long == [], "a label has at most two words, a help at most 60 characters"


def test_keys_read_as_a_person_types_them() -> None:
    texts = {command.id: key_text(command) for command in all_commands()}
    assert (texts["app.help"], texts["app.commands"], texts["table.half_down"]) == ("? f1", ": ^p", "^d")


@pytest.mark.parametrize("place", list(Where))
def test_the_footer_fits_80_columns(place: Where) -> None:
    shown = [command for command in commands(Where.APP, place) if command.footer]
    assert sum(len(key_text(one).split()[0]) + len(one.label) + 2 for one in shown) <= 80


def test_what_a_command_does_is_read_whole_at_80_columns() -> None:
    assert [one.id for one in all_commands() if len(one.help) > 50] == []
