# SPDX-License-Identifier: Apache-2.0
"""The one table of commands, and what is made from it."""

import re
from functools import cache

from textual.binding import Binding, BindingType

from tui.commands.app import APP
from tui.commands.checkout import CHECKOUT
from tui.commands.command import BEFORE, Command, Need, Where
from tui.commands.decisions import DECISIONS
from tui.commands.matrix import MATRIX
from tui.commands.results import RESULTS
from tui.commands.runs import RUNS
from tui.commands.widgets import WIDGETS

COMMANDS = (*APP, *MATRIX, *RUNS, *DECISIONS, *RESULTS, *CHECKOUT, *WIDGETS)
BY_ID = {one.id: one for one in COMMANDS}


def commands(*places: Where) -> list[Command]:
    """Commands of the given places, in the order of the table."""
    return [command for command in COMMANDS if command.where in places]


@cache
def tab_commands() -> tuple[tuple[str, Command], ...]:
    """What the line of screens lists: the name of each in `switch`, with the command that shows it."""
    pattern = re.compile(r"switch\('(\w+)'\)")
    return tuple((found[1], one) for one in COMMANDS if (found := pattern.fullmatch(one.action)))


@cache
def screen_commands() -> tuple[tuple[Where, Command], ...]:
    """The screens, each with the command that shows it, in the order of their keys."""
    names = {where.value: where for where in Where}
    return tuple((names[name], one) for name, one in tab_commands() if name in names)


def bindings(*places: Where) -> list[BindingType]:
    """Textual bindings of the given places."""
    return [
        Binding(one.keys, one.action, one.label, show=one.footer, priority=one.ahead, tooltip=one.help, id=one.id)
        for one in commands(*places)
    ]


def needs_of(id: str) -> list[Need]:
    """What a command needs, in the order in which it is checked: first what a need is about itself."""
    command = BY_ID.get(id)
    return with_before(command.needs) if command is not None and command.needs is not None else []


def with_before(need: Need) -> list[Need]:
    """A need after those that it is about."""
    return [*(with_before(BEFORE[need]) if need in BEFORE else ()), need]


def refusal(id: str, *, read_only: bool) -> str:
    """Why a read-only app does not run a command; empty: it does."""
    command = BY_ID.get(id)
    refused = read_only and command is not None and command.changes is not None
    return f"Read-only: this would {command.changes}." if refused and command is not None else ""
