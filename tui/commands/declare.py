# SPDX-License-Identifier: Apache-2.0
"""Say beside an action which command does it: the record is above the method, and the class has the key.

Help, palette, hints and settings need the records of all screens, which the first frame must not load. They are read
from `index.jsonl`, which `make reference` makes of these.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar, cast

from textual.binding import Binding, BindingType

from tui.commands.record import Changes, Command, Hint, Need, Where

F = TypeVar("F", bound=Callable[..., Any])

_DECLARED: dict[type, list[Command]] = {}


def command(
    id: str,
    where: Where,
    keys: str,
    label: str,
    help: str,
    *,
    action: str = "",
    footer: bool = False,
    ahead: bool = False,
    needs: Need | None = None,
    changes: Changes | None = None,
    aliases: str = "",
    hint: Hint | None = None,
) -> Callable[[F], F]:
    """The record of a command (see `Command`), as a decorator of its action.

    `action` is what the key calls, where it is not the method without arguments: `action="switch('runs')"`. A class
    that inherits an action gives it a record of its own: `action_undo = command(...)(Base.action_undo)`.
    """
    record = Command(id, where, keys, action, label, help, footer, ahead, needs, changes, aliases, hint)

    def declare(method: F) -> F:
        # In a stack of decorators the last one is called first.
        below = method.records if isinstance(method, _Action) else ()
        return cast(F, _Action(_method(method), (record, *below)))

    return declare


class _Action:
    """A method in the body of a class, until the class is made: then it is the bare method again."""

    def __init__(self, method: Callable[..., Any], records: Sequence[Command]) -> None:
        self.method = method
        self.records = records

    def __set_name__(self, owner: type, name: str) -> None:
        setattr(owner, name, self.method)
        action = name.removeprefix("action_")
        _DECLARED.setdefault(owner, []).extend(
            one if one.action else one._replace(action=action) for one in self.records
        )


def _method(found: Any) -> Callable[..., Any]:
    return found.method if isinstance(found, _Action) else found


class HasCommands:
    """A screen, a widget or an app whose keys are those of the records above its methods."""

    BINDINGS: ClassVar[list[BindingType]]

    def __init_subclass__(cls, **options: Any) -> None:
        # Before Textual merges them with those of the base classes.
        if cls in _DECLARED:
            cls.BINDINGS = [*map(_binding, _DECLARED[cls])]
        super().__init_subclass__(**options)


def _binding(one: Command) -> Binding:
    return Binding(one.keys, one.action, one.label, show=one.footer, priority=one.ahead, tooltip=one.help, id=one.id)


def declared() -> dict[type, tuple[Command, ...]]:
    """The classes that have been loaded and have commands, with these in the order of their methods."""
    return {owner: tuple(records) for owner, records in _DECLARED.items()}
