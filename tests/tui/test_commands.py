# SPDX-License-Identifier: Apache-2.0
"""The table of commands: no key has two meanings, none is reserved by the terminal, each action exists."""

from collections.abc import Iterable

import pytest

from tui.app.app import TTMatrixApp
from tui.commands import COMMANDS, Where, commands
from tui.key_names import key_text
from tui.keymap import TERMINAL_KEYS, TOGETHER
from tui.screens import SCREENS
from tui.screens.diff import DiffTable
from tui.screens.hosts import HostsScreen
from tui.screens.matrix.filter import Facets
from tui.screens.triage import TriageTable
from tui.widgets import CellTable, LogView, MatrixGrid, MatrixTable, RunTable, TextPane

_OWNERS = {
    **{entry.where: entry.load() for entry in SCREENS},
    Where.APP: TTMatrixApp,
    Where.LIST_AND_TEXT: HostsScreen,
    Where.FACETS: Facets,
    Where.RUN_TABLE: RunTable,
    Where.TRIAGE_TABLE: TriageTable,
    Where.DIFF_TABLE: DiffTable,
    Where.TABLE: MatrixTable,
    Where.TREE: MatrixTable,
    Where.CELLS: CellTable,
    Where.GRID: MatrixGrid,
    Where.LINES: LogView,
    Where.TEXT: TextPane,
    Where.LOG: LogView,
}


def _clashes(places: Iterable[Where]) -> list[tuple[str, str, str]]:
    """Keys with two meanings while all of `places` are in front: (key, command, command)."""
    seen: dict[str, str] = {}
    found = []
    for command in commands(*places):
        for key in command.keys.split(","):
            if key in seen:
                found.append((key, seen[key], command.id))
            seen[key] = command.id
    return found


@pytest.mark.parametrize("places", [*TOGETHER, *((entry.where,) for entry in SCREENS)])
def test_no_key_means_two_things_at_once(places: tuple[Where, ...]) -> None:
    assert _clashes((Where.APP, *places)) == []


def test_a_clash_would_be_found() -> None:
    assert ("r", "matrix.run", "runs.again") in _clashes((Where.MATRIX, Where.RUNS))


def test_no_key_of_the_terminal_is_bound() -> None:
    assert not {key for command in COMMANDS for key in command.keys.split(",")} & TERMINAL_KEYS
    assert [command.id for command in COMMANDS if "ctrl+z" in command.keys] == ["app.suspend"]


def test_nothing_destructive_hides_behind_a_key_that_is_harmless_elsewhere() -> None:
    harmless = {key for one in commands(Where.MATRIX, Where.TABLE, Where.LINES) for key in one.keys.split(",")}
    assert not {"S"} & harmless


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_action_exists_where_the_command_is_valid(command: object) -> None:
    from tui.commands import Command

    assert isinstance(command, Command)
    name = command.action.partition("(")[0]
    assert command.where in _OWNERS, f"no screen is at {command.where!r}: name it in SCREENS of tui/screens/table.py"
    owner = _OWNERS[command.where]
    assert callable(getattr(owner, f"action_{name}", None)), f"{owner} has no method action_{name}"


def test_ids_are_unique_and_texts_are_short() -> None:
    assert len({command.id for command in COMMANDS}) == len(COMMANDS)
    long = [command.id for command in COMMANDS if len(command.label.split()) > 2 or len(command.help) > 60]
    assert long == [], "a label has at most two words, a help at most 60 characters"


def test_keys_read_as_a_person_types_them() -> None:
    texts = {command.id: key_text(command) for command in COMMANDS}
    assert (texts["app.help"], texts["app.commands"], texts["table.half_down"]) == ("? f1", ": ^p", "^d")


@pytest.mark.parametrize("place", list(Where))
def test_the_footer_fits_80_columns(place: Where) -> None:
    shown = [command for command in commands(Where.APP, place) if command.footer]
    assert sum(len(key_text(one).split()[0]) + len(one.label) + 2 for one in shown) <= 80


def test_what_a_command_does_is_read_whole_at_80_columns() -> None:
    assert [one.id for one in COMMANDS if len(one.help) > 50] == []
