# SPDX-License-Identifier: Apache-2.0
"""All commands, also those of screens that are not loaded: `index.jsonl` has the records beside the actions."""

import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from tui.commands.record import BEFORE, Changes, Command, Hint, Need, Where

FILE = Path(__file__).with_name("index.jsonl")
"""A command a line. Made by `make reference` from the classes with commands."""


def written(found: Iterable[Command]) -> str:
    """The text of the index: each record without what it says nothing about."""
    return "".join(f"{json.dumps(_plain(one), ensure_ascii=False)}\n" for one in found)


def _plain(one: Command) -> dict[str, object]:
    said = {name: value for name, value in one._asdict().items() if value != Command._field_defaults.get(name)}
    if one.needs is not None:
        said["needs"] = one.needs.name
    if one.hint is not None:
        said["hint"] = {
            name: value for name, value in one.hint._asdict().items() if value != Hint._field_defaults.get(name)
        }
    return said


def _command(said: dict[str, Any]) -> Command:
    said["where"] = Where(said["where"])
    if "needs" in said:
        said["needs"] = Need[said["needs"]]
    if "changes" in said:
        said["changes"] = Changes(said["changes"])
    if "hint" in said:
        said["hint"] = _hint(said["hint"])
    return Command(**said)


def _hint(said: dict[str, Any]) -> Hint:
    if "where" in said:
        said["where"] = Where(said["where"])
    return Hint(**{**said, "also": tuple(said.get("also", ()))})


@cache
def all_commands() -> tuple[Command, ...]:
    """Every command, by places in the order of `Where`, in one place in the order of the methods."""
    return tuple(_command(json.loads(line)) for line in FILE.read_text(encoding="utf-8").splitlines())


@cache
def by_id() -> dict[str, Command]:
    """The commands by their ids."""
    return {one.id: one for one in all_commands()}


def commands(*places: Where) -> list[Command]:
    """Commands of the given places."""
    return [command for command in all_commands() if command.where in places]


@cache
def tab_commands() -> tuple[tuple[str, Command], ...]:
    """The screens on the title line: the name of each in `switch`, with the command that shows it."""
    pattern = re.compile(r"switch\('(\w+)'\)")
    return tuple((found[1], one) for one in commands(Where.APP) if (found := pattern.fullmatch(one.action)))


@cache
def screen_commands() -> tuple[tuple[Where, Command], ...]:
    """The screens, each with the command that shows it, in the order of their keys."""
    names = {where.value: where for where in Where}
    return tuple((names[name], one) for name, one in tab_commands() if name in names)


def needs_of(id: str) -> list[Need]:
    """The needs of a command in the order of checking: a need comes after the one that it depends on."""
    command = by_id().get(id)
    return with_before(command.needs) if command is not None and command.needs is not None else []


def with_before(need: Need) -> list[Need]:
    """A need after those that it is about."""
    return [*(with_before(BEFORE[need]) if need in BEFORE else ()), need]


def refusal(id: str, *, read_only: bool) -> str:
    """Why a read-only app does not run a command; empty: it does."""
    command = by_id().get(id)
    refused = read_only and command is not None and command.changes is not None
    return f"Read-only: this would {command.changes}." if refused and command is not None else ""
