# SPDX-License-Identifier: Apache-2.0
"""Regenerate the references of commands and keys, the manual page and the schemas: `python -m tests.reference docs`."""

import argparse
import importlib
import json
import os
import pkgutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from argparse_manpage.manpage import Manpage

import tui
from core.cli.parser import COMMAND_GROUPS, COMMANDS, PROGRAM, build_parser
from tests.json_page import json_page
from tests.schemas import schemas
from tui.commands import Command, Where, declare, index
from tui.key_names import key_text

WIDTH = "80"
"""argparse fills usage lines to the width of the terminal, or to what COLUMNS says."""
_ABOUT = "see, rerun, triage and commit the expectations of tt-xla's model test matrix"
_EXIT_CODES = (
    "0   done, and nothing found",
    "1   findings, failed tests or rejected operations",
    "2   infrastructure: no checkout, no interpreter, or another process holds a lock",
    "64  usage",
)
_GLOBAL = "global options"
_GROUPS = {"positional arguments": "Arguments", "options": "Options"}


def command_reference() -> str:
    """`docs/commands.md`: the global options, then each command with its arguments."""
    parser = build_parser()
    return "\n".join([*_head(parser), *(line for name in COMMANDS for line in _command(name, _commands(parser)[name]))])


def manual_page() -> str:
    """`docs/ttmatrix.1`: the same as a page for `man`."""
    parser = build_parser()
    found = _commands(parser)
    for command in [*found.values(), *(verb for one in found.values() for verb in _verbs(one).values())]:
        # Global options are documented once, for the program itself.
        command._action_groups = [group for group in command._action_groups if group.title != _GLOBAL]
        # The text is the same as in the list of commands.
        command.description = None
    page = Manpage(parser, format="single-commands-section")
    page.date, page.source, page.manual, page.description = "", PROGRAM, "User Commands", _ABOUT
    for name, command in found.items():
        if command.epilog:
            page.add_section(f"More on {PROGRAM} {name}", ">", _as_it_is(command.epilog))
    page.add_section("Exit status", ">", _as_it_is("\n".join(_EXIT_CODES)))
    return str(page)


def declared_classes() -> dict[type, tuple[Command, ...]]:
    """The classes of the app with their commands, as the records beside the actions say."""
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if module.name != "tui.__main__":
            importlib.import_module(module.name)
    return {owner: records for owner, records in declare.declared().items() if owner.__module__.startswith("tui.")}


def declared_commands() -> list[Command]:
    """All commands of the app: by places, in one place in the order of the methods."""
    order = list(Where)
    records = (one for own in declared_classes().values() for one in own)
    return sorted(records, key=lambda one: order.index(one.where))


def key_reference(found: Sequence[Command]) -> str:
    """`docs/keys.md`: every command of the app with its id and its keys."""
    lines = [
        "# Keys",
        "",
        "Made from the records of the commands by `make reference`; do not edit. `?` in the app says what works where you are.",
        "To give a command other keys, name its id in the table `[keys]` of [settings.toml](settings.md#keys).",
    ]
    for where in Where:
        lines += ["", f"## {where[:1].upper()}{where[1:]}", "", "| Keys | | Id |", "|---|---|---|"]
        for one in (one for one in found if one.where is where):
            keys = " ".join(f"`` {key} ``" if "`" in key else f"`{key}`" for key in key_text(one).split())
            lines.append(f"| {keys} | {_cell(one.help)} | `{one.id}` |")
    return "\n".join([*lines, ""])


def schema_text(schema: Mapping[str, object]) -> str:
    """A file of `docs/schemas`."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _as_it_is(text: str) -> str:
    """Lines that `man` must not fill."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join([".nf", *(f"\\&{line}" for line in escaped.splitlines()), ".fi"])


def _head(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield "# Commands"
    yield ""
    yield "Made from the parsers of the program by `make reference`; do not edit. `ttmatrix COMMAND --help` says the same."
    yield ""
    yield from _usage(parser)
    yield f"{parser.description}"
    yield ""
    yield from _groups(parser, without="")
    yield "Global options may come before or after the command."
    yield ""
    yield "| Exit code | |"
    yield "|---|---|"
    for line in _EXIT_CODES:
        code, _, meaning = line.partition("  ")
        yield f"| {code} | {meaning.strip()} |"
    yield ""
    for group, names in COMMAND_GROUPS.items():
        yield f"| {group[:1].upper()}{group[1:]} | |"
        yield "|---|---|"
        for name, help in names.items():
            yield f"| [`{name}`](#{name}) | {_cell(help)} |"
        yield ""


def _command(name: str, parser: argparse.ArgumentParser, level: str = "##") -> Iterator[str]:
    yield f"{level} {name}"
    yield ""
    yield f"{parser.description}"
    yield ""
    yield from _usage(parser)
    yield from _groups(parser, without=_GLOBAL)
    if parser.epilog:
        yield "```"
        yield parser.epilog.rstrip("\n")
        yield "```"
        yield ""
    for verb, below in _verbs(parser).items():
        yield from _command(f"{name} {verb}", below, f"{level}#")


def _usage(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield "```"
    yield " ".join(parser.format_usage().removeprefix("usage:").split())
    yield "```"
    yield ""


def _groups(parser: argparse.ArgumentParser, without: str) -> Iterator[str]:
    for group in parser._action_groups:
        rows = [_row(action) for action in group._group_actions if action.help and not _is_hidden(action)]
        if rows and group.title != without:
            title = _GROUPS.get(str(group.title), str(group.title).capitalize())
            yield from (f"| {title} | |", "|---|---|", *rows, "")


def _is_hidden(action: argparse.Action) -> bool:
    """Whether an action has no row: `--help`, the commands, which have their own table, and old names of options."""
    return action.help == argparse.SUPPRESS or isinstance(action, argparse._HelpAction | argparse._SubParsersAction)


def _row(action: argparse.Action) -> str:
    value = action.metavar or (f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest.upper())
    takes = f" {value}" if action.nargs != 0 else ""
    written = ", ".join(f"`{name}{takes}`" for name in action.option_strings) or f"`{value}`"
    return f"| {_cell(written)} | {_cell(_help(action))} |"


def _help(action: argparse.Action) -> str:
    return str(action.help) % {**vars(action), "prog": PROGRAM} if "%" in str(action.help) else str(action.help)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _commands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    (found,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    return found.choices


def _verbs(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """The verbs of a command, if it has any."""
    return _commands(parser) if parser._subparsers is not None else {}


def main(target: Path) -> None:
    """Write all of them into `target`."""
    os.environ["COLUMNS"] = WIDTH
    (target / "commands.md").write_text(command_reference(), encoding="utf-8")
    declared = declared_commands()
    index.FILE.write_text(index.written(declared), encoding="utf-8")
    (target / "keys.md").write_text(key_reference(declared), encoding="utf-8")
    (target / f"{PROGRAM}.1").write_text(manual_page(), encoding="utf-8")
    (target / "json.md").write_text(json_page(), encoding="utf-8")
    for name, schema in schemas().items():
        (target / "schemas" / f"{name}.json").write_text(schema_text(schema), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
