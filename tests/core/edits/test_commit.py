# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.commit against a real git."""

from pathlib import Path

import pytest

from core.edits.commit import commit
from core.errors import TTMatrixError, UsageError
from core.proc import run_command


def git(root: Path, *argv: str) -> str:
    done = run_command(["git", *argv], cwd=root)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "config", "user.name", "Someone")
    git(tmp_path, "config", "user.email", "someone@example.com")
    for name in ("one.yaml", "two.yaml", "three.yaml", "[o]ne.yaml", "-n.yaml"):
        (tmp_path / name).write_text("old\n")
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message=first")
    return tmp_path


def edit(root: Path, *names: str) -> list[Path]:
    for name in names:
        (root / name).write_text("new\n")
    return [root / name for name in names]


def files_of(root: Path, commit_hash: str) -> list[str]:
    return git(root, "show", "--name-only", "--format=", commit_hash).split()


def test_exactly_the_named_files_are_committed_and_the_index_stays(root: Path) -> None:
    edit(root, "two.yaml", "three.yaml")
    git(root, "add", "two.yaml")
    (root / "fresh.yaml").write_text("x\n")
    git(root, "add", "fresh.yaml")
    found = commit(root, edit(root, "one.yaml"), "Promote one\n\n#123 says why\n")
    assert found == git(root, "rev-parse", "HEAD").strip()
    assert files_of(root, found) == ["one.yaml"]
    assert git(root, "log", "-1", "--format=%B").strip() == "Promote one\n\n#123 says why"
    assert git(root, "status", "--porcelain").splitlines() == ["A  fresh.yaml", " M three.yaml", "M  two.yaml"]


@pytest.mark.parametrize("name", ["[o]ne.yaml", "-n.yaml"])
def test_a_name_is_never_a_pattern_or_an_option(root: Path, name: str) -> None:
    edit(root, "one.yaml", name)
    assert files_of(root, commit(root, [Path(name)], "m")) == [name]


def test_a_hook_that_refuses_is_quoted_and_leaves_everything(root: Path) -> None:
    hook = root / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\necho 'no trailing spaces please' >&2\nexit 1\n")
    hook.chmod(0o755)
    before = git(root, "rev-parse", "HEAD")
    edit(root, "two.yaml")
    git(root, "add", "two.yaml")
    with pytest.raises(TTMatrixError) as caught:
        commit(root, edit(root, "one.yaml"), "m")
    assert (caught.value.title, caught.value.detail) == ("git commit failed", "no trailing spaces please")
    assert git(root, "rev-parse", "HEAD") == before
    assert git(root, "status", "--porcelain").splitlines() == [" M one.yaml", "M  two.yaml"]


def test_a_file_without_a_change_is_no_commit(root: Path) -> None:
    before = git(root, "rev-parse", "HEAD")
    with pytest.raises(TTMatrixError, match="nothing to commit"):
        commit(root, [root / "one.yaml"], "m")
    assert git(root, "rev-parse", "HEAD") == before


def test_a_missing_identity_is_told_in_gits_own_words(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(root, "config", "user.useConfigOnly", "true")
    git(root, "config", "--unset", "user.email")
    for name in ("EMAIL", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(TTMatrixError, match="email"):
        commit(root, edit(root, "one.yaml"), "m")


def test_outside_a_repository_git_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text("x\n")
    with pytest.raises(TTMatrixError, match="not a git repository"):
        commit(tmp_path, [tmp_path / "x.yaml"], "m")


@pytest.mark.parametrize(
    ("paths", "message", "title"),
    [
        (["one.yaml"], " \n", "A commit needs a message"),
        ([], "m", "There is nothing to commit"),
        (["."], "m", ". is not a file"),
        (["absent.yaml"], "m", "absent.yaml is not a file"),
        (["../outside.yaml"], "m", "../outside.yaml is outside the work tree"),
    ],
)
def test_a_request_that_means_nothing_never_reaches_git(root: Path, paths: list[str], message: str, title: str) -> None:
    edit(root, "one.yaml")
    before = git(root, "rev-parse", "HEAD")
    with pytest.raises(UsageError) as caught:
        commit(root, [Path(path) for path in paths], message)
    assert caught.value.title.startswith(title)
    assert git(root, "rev-parse", "HEAD") == before
