# SPDX-License-Identifier: Apache-2.0
"""What git tracks and the work tree lacks is said: a test whose entry or loader is not here has not none."""

import json
from pathlib import Path

import pytest

from core.sources import Checkout, absent_files
from tests.support.cli import call
from tests.support.git import git
from tests.support.sample import sample_checkout

TRAINING = "tests/runner/test_config/torch/test_config_training_single_device.yaml"
PRESETS = ".github/workflows/test-matrix-presets"
LOADER = "third_party/tt_forge_models/conv_classifier/pytorch/loader.py"
ID = "conv_classifier/pytorch-Width_16-single_device-training"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample_checkout(tmp_path / "tt-xla")


def lacking(checkout: Checkout, path: str, how: str) -> str:
    """Take a file out of the work tree; returns what is said of it."""
    match how:
        case "sparse":
            git(checkout.root, "sparse-checkout", "set", "--no-cone", "/*", f"!/{path}")
            return "is outside the sparse checkout"
        case "skip-worktree":
            git(checkout.root, "update-index", "--skip-worktree", path)
            (checkout.root / path).unlink()
            return "is not here, and marked skip-worktree"
        case "directory":
            (checkout.root / path).unlink()
            (checkout.root / path).mkdir()
            return "is no file here, but something else"
        case _:
            (checkout.root / path).unlink()
            return "is deleted"


HOWS = ("sparse", "skip-worktree", "directory", "deleted")


@pytest.mark.parametrize("how", HOWS)
def test_an_expectation_file(checkout: Checkout, how: str) -> None:
    assert "expectations" not in call("show", ID, "--repo", checkout.root).out
    said = lacking(checkout, TRAINING, how)
    called = call("show", ID, "--repo", checkout.root)
    assert called.code == 0
    assert f"Its entry cannot be read here: {TRAINING}, the file that has it, {said}" in called.out
    assert "No entry" not in called.out and "UNSPECIFIED" not in called.out
    assert "Scheduled CI jobs: not known, because its entry is not" in called.out
    document = call("show", ID, "--json", "--repo", checkout.root).json
    assert document["absent"] == [{"file": TRAINING, "why": said, "has_entry": True}]
    assert f"{TRAINING} {said}" in call("list", "conv_classifier", "--repo", checkout.root).err
    assert f"{TRAINING} {said}" in call("jobs", ID, "--repo", checkout.root).err
    found = call("doctor", "--json", "--repo", checkout.root).json
    [finding] = [one for one in found if one["kind"] == "absent-file"]
    assert finding["file"] == TRAINING and said in finding["message"]


def test_a_test_without_an_entry_in_the_absent_file_may_still_have_none(checkout: Checkout) -> None:
    without = json.loads(call("list", "--json", "--repo", checkout.root).out)
    id = next(one["id"] for one in without if one["file"] is None)
    assert "\nNo entry.\n" in call("show", id, "--repo", checkout.root).out
    lacking(checkout, TRAINING, "deleted")
    assert "\nNo entry in the files that are here:\n" in call("show", id, "--repo", checkout.root).out


@pytest.mark.parametrize("how", HOWS)
def test_presets_and_workflows(checkout: Checkout, how: str) -> None:
    names = sorted(path.name for path in checkout.presets.glob("*.json"))
    said = lacking(checkout, f"{PRESETS}/{names[0]}", how)
    called = call("show", ID, "--repo", checkout.root)
    assert "in the presets and workflows that are here:" in called.out
    assert f"{PRESETS}/{names[0]} {said}" in called.out
    assert f"{PRESETS}/{names[0]} {said}" in call("jobs", "--repo", checkout.root).err
    assert {"absent-file"} <= {one["kind"] for one in call("doctor", "--json", "--repo", checkout.root).json}


@pytest.mark.parametrize("how", HOWS)
def test_a_loader(checkout: Checkout, how: str) -> None:
    said = lacking(checkout, LOADER, how)
    called = call("show", ID, "--repo", checkout.root)
    assert f"loader   not known here: {LOADER} {said}" in called.out
    found = call("doctor", "--json", "--repo", checkout.root).json
    [finding] = [one for one in found if one["kind"] == "absent-file"]
    assert (finding["file"], finding["id"]) == (LOADER, "conv_classifier/pytorch")
    # That follows from the loader alone, and its fix would be wrong.
    assert [one for one in found if one["kind"] == "unknown-id"] == []


def test_the_models_may_be_a_repository_of_their_own(checkout: Checkout) -> None:
    git(checkout.models, "init", "--quiet", "--template=")
    git(checkout.models, "add", "--all")
    (checkout.root / LOADER).unlink()
    absent = absent_files(checkout)
    assert [one.path for one in absent if one.path == LOADER and one.why == "is deleted"] == [LOADER]
    assert f"git -C {checkout.models} restore conv_classifier/pytorch/loader.py" in {one.remedy for one in absent}


def test_what_the_command_names_helps(checkout: Checkout) -> None:
    for how in ("sparse", "deleted"):
        lacking(checkout, TRAINING, how)
        [absent] = absent_files(checkout)
        git(checkout.root, *absent.remedy.split()[3:])
        assert absent_files(checkout) == ()
        git(checkout.root, "sparse-checkout", "disable")


def test_without_git_nothing_is_tracked(tmp_path: Path) -> None:
    assert absent_files(Checkout(tmp_path)) == ()
