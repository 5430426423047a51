# SPDX-License-Identifier: Apache-2.0
"""`loaders`: the edits in the submodule, and restoring them byte for byte."""

from pathlib import Path

import pytest

from core.settings import paths
from core.sources.checkout import Checkout
from core.workflows.loader_code.edits.edit import EditKind, SourceEdit, put
from core.workflows.session import edits_directory, sessions_directory
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
