# SPDX-License-Identifier: Apache-2.0
"""docs/schemas: what every command says with --json is as its schema has it, and every schema is of something."""

import json
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from core.base.files import plain
from core.base.settings import Profile, Settings
from core.cli.dispatch import COMMANDS
from core.evidence.verdicts import Policy, policy_text
from core.matrix.query import Query
from core.matrix.view import ViewSpec, change_saved
from tests.docs.documents import documents
from tests.schemas import COMMON
from tests.support.schemas import NAMES, complaints, schema

OF_FILES = {"policy", "settings", "views", "common"}
"""What no command prints as JSON; `demo`, which prints documents of others, and `serve` are checked where they run."""

_EVERY_COMMAND = pytest.mark.slow("calls every command, and some start runs")


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[tuple[str, Any]]]]:
    """By schema, each command line with its document."""
    home = tmp_path_factory.mktemp("home")
    found: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("TTMATRIX_HOME", "TTMATRIX_LEASES"):
            patch.setenv(name, str(home))
        for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
            patch.setenv(name, "/dev/null")
        for name_of, command, document in documents(tmp_path_factory.mktemp("docs"), home):
            found[name_of].append((command, document))
    yield found


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$id"] == f"{name}.json"


@_EVERY_COMMAND
@pytest.mark.parametrize("name", [name for name in NAMES if name not in {*OF_FILES, "demo", "serve"}])
def test_what_is_printed_is_as_the_schema_says(name: str, said: Any) -> None:
    assert said[name], "no command has printed it: have tests/docs/documents.py call one that does"
    for command, document in said[name]:
        assert complaints(name, document) == [], command


@_EVERY_COMMAND
def test_every_document_has_a_schema_and_every_command_a_document(said: Any) -> None:
    assert set(said) - set(NAMES) == set(), "name it in tests/schemas.py, and: make reference"
    commands = {command.split()[0] for pairs in said.values() for command, _ in pairs}
    assert set(COMMANDS) - commands == {"demo", "serve", "watch"}, "have tests/docs/documents.py call the others too"


def test_every_schema_is_on_the_page_that_is_made_and_what_commands_print_is_on_no_other() -> None:
    docs = Path(__file__).parents[2] / "docs"
    made, by_hand = ((docs / name).read_text() for name in ("json.md", "formats.md"))
    missing = [name for name in NAMES if f"Schema: [{name}](schemas/{name}.json)" not in made]
    assert missing == [COMMON], "only the parts have no section: make reference"
    printed = {name for name in NAMES if schema(name)["title"].endswith("--json`")}
    assert len(printed) > 40
    assert [name for name in printed if f"(schemas/{name}.json)" in by_hand] == [], "docs/json.md has it"


def test_the_policy_is_as_its_schema_says() -> None:
    written = tomllib.loads(policy_text(Policy(keep={"alpha/*": "waits for a fix"})))
    assert complaints("policy", written) == []
    assert complaints("policy", {"pcc": {"margin": 2}}) != [] != complaints("policy", {"minimum": 1})


def test_settings_are_as_their_schema_says() -> None:
    whole = replace(Settings(), profiles={"mine": Profile(timeout=1.0, batch_size=1)})
    assert complaints("settings", json.loads(json.dumps(plain(whole)))) == []
    assert complaints("settings", {"theme": "purple"}) != [] != complaints("settings", {"profiles": {"mine": {"a": 1}}})


def test_saved_views_are_as_their_schema_says(tmp_path: Path) -> None:
    view = ViewSpec(Query.parse("status:xfail !has:issue"), "n150", ("id", "reason"), "reason", True, "reason")
    change_saved(tmp_path / "views.json", lambda saved: saved.with_view("mine", view).with_columns("model", ("id",)))
    assert complaints("views", json.loads((tmp_path / "views.json").read_text())) == []


def test_an_operation_of_another_shape_is_none() -> None:
    wrong = [{"op": "set", "id": "a"}, {"op": "add", "id": "a"}, {"op": "rename", "id": "a", "path": ["markers"]}]
    assert all(complaints("operations", [one]) for one in wrong)
    assert complaints("operations", [{"op": "unset", "id": "a", "path": ["arch_overrides", "n150"]}]) == []
