# SPDX-License-Identifier: Apache-2.0
"""A morning without a screen: each command says which one comes next, and that one does it."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.ci_night import Night, ingest, nightly
from tests.support.cli import call
from tests.support.evidence import TEST_ID
from tests.support.git import committed_checkout
from tests.support.github_server import GitHub, reached
from tests.support.tree import sample

OOM = "RuntimeError: TT_FATAL: Out of Memory"

hub = pytest.fixture(reached)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = sample(tmp_path / "tt-xla")
    committed_checkout(found)
    return found


def test_each_step_names_the_next(hub: GitHub, checkout: Checkout, tmp_path: Path) -> None:
    for number in range(20, 27):
        Night(hub, number).models("n150", {TEST_ID: "pass" if number < 23 else OOM, "other": "pass"})
    repo, file = ("--repo", checkout.root), tmp_path / "my proposals.json"
    said = nightly(checkout).err
    assert "`ttmatrix since TEST`" in said and "`ttmatrix propose -o FILE`" in said
    assert f"`ttmatrix propose {TEST_ID} -o FILE`" in call("since", TEST_ID, *repo).err
    assert "`-o FILE` writes them to a file" in call("propose", TEST_ID, *repo).err
    assert f"`ttmatrix apply '{file}' --commit --split cause`" in call("propose", TEST_ID, "-o", file, *repo).err
    assert "`ttmatrix pr` prints the text" in call("apply", file, "--commit", "--split", "cause", *repo).err
    assert TEST_ID in call("pr", *repo).out
    # What is true already needs no next step.
    assert "ttmatrix apply" not in call("propose", TEST_ID, *repo).err


def test_json_stays_one_document(hub: GitHub, checkout: Checkout) -> None:
    Night(hub, 20).models("n150", {TEST_ID: OOM})
    ingest(checkout)
    for words in (("nightly",), ("since", TEST_ID), ("propose",)):
        assert call(*words, "--json", "--repo", checkout.root).json is not None
