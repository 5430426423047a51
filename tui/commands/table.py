# SPDX-License-Identifier: Apache-2.0
"""The one table of commands, and what is made from it."""

import re
from functools import cache

from textual.binding import Binding, BindingType

from tui.commands.command import OF_SCREENS, Command, Where
from tui.commands.widgets import OF_WIDGETS

COMMANDS = (*OF_SCREENS, *OF_WIDGETS)


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
