# SPDX-License-Identifier: Apache-2.0
"""`loaders`: the edits in the submodule, and restoring them byte for byte."""

from pathlib import Path

import pytest

from core.base.settings import paths
from core.sources import Checkout
from core.workflows import sessions_directory
from core.workflows.loader_code.edits import SourceEdit, put
from core.workflows.loader_code.edits.edit import EditKind
from core.workflows.session import edits_directory
from tests.support.cli import Called, call
from tests.support.triage_checkout import LOADER, LOADER_FILE, triage_checkout

AFTER = LOADER.replace("torch.zeros(batch_size, 6)", "torch.zeros(batch_size, 6, dtype=dtype_override)")


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    checkout = triage_checkout(tmp_path, own_home)
    edit = SourceEdit(EditKind.CONSTRUCTOR, 18, "make row in dtype_override", LOADER, AFTER)
    put(checkout.root / LOADER_FILE, edit, edits_directory(sessions_directory(paths().state, checkout.root)))
    return checkout


def loaders(checkout: Checkout, *argv: object) -> Called:
    return call("loaders", *argv, "--repo", checkout.root)


def test_listed_and_taken_back(checkout: Checkout) -> None:
    (told,) = loaders(checkout, "--json").json
    assert (told["path"], told["summary"], told["overtaken"]) == (LOADER_FILE, "make row in dtype_override", False)
    assert "dtype=dtype_override" in told["diff"]
    assert f"{LOADER_FILE}: make row" in loaders(checkout).out
    assert loaders(checkout, "--restore", LOADER_FILE).code == 0
    assert (checkout.root / LOADER_FILE).read_bytes() == LOADER.encode()
    assert loaders(checkout, "--json").json == []


def test_what_is_no_edit_or_was_changed_is_refused(checkout: Checkout) -> None:
    assert loaders(checkout, "--restore", "other.py").code == 64
    (checkout.root / LOADER_FILE).write_text(AFTER + "# mine\n")
    assert loaders(checkout, "--json").json[0]["overtaken"]
    refused = loaders(checkout, "--restore", LOADER_FILE)
    assert refused.code != 0 and "has changed since it was edited" in refused.err
    assert (checkout.root / LOADER_FILE).read_text() == AFTER + "# mine\n"


def hooks(checkout: Checkout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str) -> None:
    """A pre-commit that is `script`, on PATH, and a configuration of the submodule."""
    directory = tmp_path / "bin"
    directory.mkdir()
    (directory / "pre-commit").write_text(f"#!/bin/sh\n{script}\n")
    (directory / "pre-commit").chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:/usr/bin:/bin")
    (checkout.models / ".pre-commit-config.yaml").write_text("repos: []\n")


def test_hooks_see_the_edited_file_and_it_stays_as_it_is(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said = 'echo "black: $1 $2 $3"; echo "# formatted" >> "$3"; exit 1'
    hooks(checkout, monkeypatch, tmp_path, said)
    called = loaders(checkout, "--check", "--yes")
    assert called.code == 1
    assert f"black: run --files {checkout.root / LOADER_FILE}" in called.out
    assert "+# formatted" in called.out
    assert (checkout.root / LOADER_FILE).read_bytes() == AFTER.encode()
    (told,) = loaders(checkout, "--json").json
    assert told["overtaken"] is False


def test_hooks_that_change_nothing_pass_and_consent_is_asked_for(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hooks(checkout, monkeypatch, tmp_path, "exit 0")
    refused = loaders(checkout, "--check")
    assert (refused.code, "Add --yes to agree." in refused.err) == (64, True)
    (told,) = loaders(checkout, "--check", "--yes", "--json").json
    assert (told["path"], told["passed"], told["diff"]) == (LOADER_FILE, True, "")
    (checkout.models / ".pre-commit-config.yaml").unlink()
    assert "has no .pre-commit-config.yaml" in loaders(checkout, "--check", "--yes").err
