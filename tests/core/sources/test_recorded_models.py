# SPDX-License-Identifier: Apache-2.0
"""core.sources.recorded_models: what is advised brings the models that the checkout records; lists name other ones."""

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.base.processes import run_command
from core.sources import Checkout, absent_files, other_models
from tests.support.cli import call
from tests.support.git import git
from tests.support.states import MODELS, commit, with_submodule

_NOBODY = 65534


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """One whose models are at the commit before the recorded one."""
    checkout = with_submodule(tmp_path / "a checkout")
    git(checkout.root, "config", "--file", ".gitmodules", f"submodule.{MODELS}.path", MODELS)
    git(checkout.root, "config", "--file", ".gitmodules", f"submodule.{MODELS}.url", str(checkout.models))
    git(checkout.root, "add", ".gitmodules")
    commit(checkout, "an uplift", {f"{MODELS}/alpha/notes.txt": "x"})
    git(checkout.models, "checkout", "-q", "HEAD^")
    return checkout


@pytest.mark.parametrize(("linked", "recorded"), [(False, False), (False, True), (True, False)])
def test_what_is_advised_ends_it_wherever_one_is(
    checkout: Checkout, tmp_path: Path, linked: bool, recorded: bool
) -> None:
    """Also in a clone that was made by hand, and in one behind a link."""
    if linked:
        checkout.models.rename(tmp_path / "elsewhere")
        checkout.models.symlink_to(tmp_path / "elsewhere")
    found = other_models(checkout)
    assert found is not None
    assert (found.uplift in found.remedy and bool(found.uplift)) is not linked, "git would record the link itself"
    assert found.remedy.startswith(f"{found.again} checks out")
    done = run_command(shlex.split(found.uplift if recorded else found.again), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert other_models(checkout) is None


def test_while_a_conflict_lasts_nothing_is_recorded(checkout: Checkout) -> None:
    """Git would update nothing, and what to add is for the person to say."""
    git(checkout.root, "checkout", "-q", "-b", "other", "HEAD^")
    commit(checkout, "another uplift", {f"{MODELS}/alpha/notes.txt": "y"})
    done = run_command(["git", "rebase", "-q", "@{-1}"], cwd=checkout.root)
    assert done.returncode and git(checkout.root, "ls-files", "--unmerged", MODELS)
    assert other_models(checkout) is None
    git(checkout.root, "add", MODELS)
    git(checkout.models, "checkout", "-q", "HEAD^")
    assert other_models(checkout) is not None


def test_a_plain_directory_of_models_is_at_no_commit(checkout: Checkout, tmp_path: Path) -> None:
    checkout.models.rename(tmp_path / "elsewhere")
    shutil.copytree(tmp_path / "elsewhere", checkout.models, ignore=shutil.ignore_patterns(".git"))
    assert other_models(checkout) is None


@pytest.mark.parametrize("words", [("list",), ("list", "--json"), ("jobs",)])
def test_lists_say_that_they_are_of_other_models(checkout: Checkout, words: tuple[str, ...]) -> None:
    said = call(*words, "--repo", checkout.root).err
    assert said.count("The models are at ") == 1
    git(checkout.root, "add", MODELS)
    assert "The models are at " not in call(*words, "--repo", checkout.root).err


@pytest.mark.parametrize("why", ["no git", "another owner"])
def test_where_git_says_nothing_nothing_is_claimed(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, why: str
) -> None:
    if why == "no git":
        monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    else:
        monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert other_models(checkout) is None


def test_of_a_repository_that_is_broken_nothing_is_claimed(checkout: Checkout) -> None:
    """Git then answers for the one around it, whose commit is none of the models."""
    shutil.rmtree(checkout.models / ".git")
    (checkout.models / ".git").mkdir()
    assert other_models(checkout) is None


def test_where_nothing_may_be_read_nothing_is_claimed(checkout: Checkout) -> None:
    with _without_rights(checkout.models):
        assert other_models(checkout) is None
        assert absent_files(checkout) == ()


@contextmanager
def _without_rights(directory: Path) -> Iterator[None]:
    root = os.geteuid() == 0
    if root:
        os.seteuid(_NOBODY)
    else:
        directory.chmod(0)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        else:
            directory.chmod(0o700)


@pytest.mark.parametrize("words", [("list",), ("jobs",)])
def test_git_is_asked_once_each_for_files_and_both_commits(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...]
) -> None:
    call(*words, "--repo", checkout.root)
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(tmp_path / "trace"))
    call(*words, "--repo", checkout.root)
    assert (tmp_path / "trace").read_text().count('"event":"start"') == 3
