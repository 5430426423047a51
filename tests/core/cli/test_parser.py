# SPDX-License-Identifier: Apache-2.0
"""The table of commands, and for which of them a parser declares the arguments."""

import importlib
from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.cli.parser import COMMAND_GROUPS, COMMANDS, build_parser, parse

CLI = Path(__file__).parents[3] / "core" / "cli"


def test_every_command_has_a_module_and_every_module_a_command() -> None:
    modules = {path.stem.removeprefix("command_") for path in CLI.glob("command_*.py")}
    assert modules == set(COMMANDS)
    for name in COMMANDS:
        module = importlib.import_module(f"core.cli.command_{name}")
        assert callable(module.configure) and callable(module.execute)


def test_only_commands_that_are_named_are_configured() -> None:
    parser = build_parser(["list", "show"], ["show"])
    assert parser.parse_args(["show", "x"]).id == "x"
    with pytest.raises(UsageError, match="unrecognized"):
        parser.parse_args(["list", "x"])
    with pytest.raises(UsageError, match="invalid choice"):
        parser.parse_args(["runs"])


def test_only_the_verb_that_is_named_is_configured() -> None:
    parser = build_parser(["ops"], ["ops", "list"])
    assert parser.parse_args(["ops", "list", "--model", "x"]).model == ["x"]
    with pytest.raises(UsageError, match="unrecognized"):
        parser.parse_args(["ops", "models", "--model", "x"])


def test_global_options_have_a_default_and_either_place() -> None:
    args = parse(["list"])
    assert (args.repo, args.arch, args.json, args.no_color) == (None, "", False, False)
    assert parse(["--arch", "n150", "list"]).arch == parse(["list", "--arch", "n150"]).arch == "n150"


@pytest.mark.parametrize(
    ("arguments", "word", "meant"),
    [
        (["lsit"], "lsit", "Did you mean list? "),
        (["--repo", "somewhere", "docter", "-x"], "docter", "Did you mean doctor? "),
        (["runn", "list"], "runn", "Did you mean run or runs? "),
        (["zzzz"], "zzzz", ""),
    ],
)
def test_an_unknown_command_is_reported_with_what_was_meant(arguments: list[str], word: str, meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(arguments)
    assert (caught.value.title, caught.value.hint) == (
        f"There is no command {word!r}",
        f"{meant}ttmatrix --help lists the commands.",
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_a_phrase_that_begins_with_a_verb(name: str) -> None:
    """Without a full stop: it is used in a list, and as a sentence above the command's own help."""
    text = COMMANDS[name]
    assert text[0].islower() and not text.endswith(".")


def test_the_help_has_every_command_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        parse(["--help"])
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert [name for name in COMMANDS if sum(line.startswith(f"  {name} ") for line in lines) != 1] == []
    assert [name for name, help in COMMANDS.items() if not any(line.endswith(f" {help}") for line in lines)] == []
    assert max(map(len, lines)) <= 80
    assert all(f"{group}:" in lines for group in (*COMMAND_GROUPS, "options", "global options"))
    assert "--version" in shown
