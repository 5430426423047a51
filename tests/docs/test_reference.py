# SPDX-License-Identifier: Apache-2.0
"""The command reference and the manual page say what the parsers say, the schemas what the records say."""

from pathlib import Path

import pytest

from core.cli.parser import COMMANDS
from tests.json_page import json_page
from tests.reference import WIDTH, command_reference, declared_commands, key_reference, manual_page, schema_text
from tests.schemas import schemas
from tests.support.cli import call
from tui.commands import all_commands, index

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", WIDTH)


def test_the_reference_is_fresh() -> None:
    assert (DOCS / "commands.md").read_text(encoding="utf-8") == command_reference(), "run: make reference"


def test_the_keys_are_fresh() -> None:
    found = declared_commands()
    assert (DOCS / "keys.md").read_text(encoding="utf-8") == key_reference(found), "run: make reference"


def test_the_index_of_commands_is_fresh() -> None:
    found = declared_commands()
    assert index.FILE.read_text(encoding="utf-8") == index.written(found), "run: make reference"
    assert all_commands() == tuple(found)


def test_the_schemas_are_fresh() -> None:
    made = {name: schema_text(schema) for name, schema in schemas().items()}
    stale = [name for name, text in made.items() if (DOCS / "schemas" / f"{name}.json").read_text("utf-8") != text]
    assert stale == [], "run: make reference"
    assert (DOCS / "json.md").read_text(encoding="utf-8") == json_page(), "run: make reference"


def test_the_manual_page_is_fresh() -> None:
    assert (DOCS / "ttmatrix.1").read_text(encoding="utf-8") == manual_page(), "run: make reference"


@pytest.mark.parametrize("command", COMMANDS)
def test_the_reference_has_every_line_of_the_help(command: str) -> None:
    """Apart from the script that writes it: what `--help` prints, but for the global options."""
    whole = (DOCS / "commands.md").read_text(encoding="utf-8")
    section = " ".join(
        whole.split(f"\n## {command}\n")[1].split("\n## ")[0].replace("`", "").replace("\\|", "|").split()
    )
    own = call(command, "--help").out.split("global options:")[0]
    options = [line.split()[0].rstrip(",") for line in own.splitlines() if line.startswith("  -")]
    assert all(option in section for option in options if option != "-h")
    assert COMMANDS[command] in whole
