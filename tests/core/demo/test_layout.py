# SPDX-License-Identifier: Apache-2.0
"""A laid-out checkout is a clean repository, the same everywhere; a refused one leaves no trace."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import CommandResult, run_command
from core.demo import lay_out
from core.demo.history import COMMITS
from core.demo.template import sample_files
from core.sources import Checkout


def _git(directory: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout


def _tree(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


class FailingRunner:
    """Runs git for real until the subcommand that must fail."""

    def __init__(self, subcommand: str) -> None:
        self.subcommand = subcommand

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
        timeout: float | None = None,
    ) -> CommandResult:
        if self.subcommand in argv:
            return CommandResult(tuple(argv), 128, "", "fatal: disk full\n")
        return run_command(argv, cwd=cwd, env=env, stdin=stdin, timeout=timeout)


def test_the_work_tree_is_clean_and_holds_what_is_shipped(sample: Checkout) -> None:
    assert _git(sample.root, "status", "--porcelain", "--ignored") == ""
    listed = _git(sample.root, "ls-files", "-z").split("\0")[:-1]
    files = sample_files()
    assert listed == sorted(files, key=str.encode)
    assert {name: (sample.root / name).read_text(encoding="utf-8") for name in listed} == files


def test_the_history_has_its_commits_in_order(sample: Checkout) -> None:
    log = _git(sample.root, "log", "--reverse", "--format=%as %s", "main").splitlines()
    assert log == [f"{commit.date} {commit.message.partition(chr(10))[0]}" for commit in COMMITS]


def test_git_works_in_the_models_directory(sample: Checkout) -> None:
    assert _git(sample.models, "rev-parse", "--is-inside-work-tree") == "true\n"
    assert _git(sample.models, "diff", "--relative", "HEAD", "--", ".") == ""


def test_an_empty_directory_will_do_and_nothing_of_the_user_shows(
    sample: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "ignore").write_text("*.json\n")
    (home / ".config" / "git" / "attributes").write_text("*.yaml text eol=crlf\n")
    (home / "hooks").mkdir()
    hook = home / "hooks" / "post-checkout"
    hook.write_text("#!/bin/sh\ntouch hooked\n")
    hook.chmod(0o755)
    (home / "gitconfig").write_text(
        f"[commit]\n\tgpgsign = true\n[core]\n\tautocrlf = true\n\thooksPath = {home / 'hooks'}\n"
    )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    target = tmp_path / "target"
    target.mkdir()
    lay_out(target)
    assert not (tmp_path / "elsewhere").exists()
    monkeypatch.delenv("GIT_DIR")
    assert _git(target, "rev-parse", "HEAD") == _git(sample.root, "rev-parse", "HEAD")
    assert {name: text for name, text in _tree(target).items() if not name.startswith(".git/")} == {
        name: text.encode() for name, text in sample_files().items()
    }


def test_a_directory_in_use_is_refused_and_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "checkout"
    lay_out(target)
    before = _tree(target)
    with pytest.raises(TTMatrixError) as caught:
        lay_out(target)
    assert str(target) in caught.value.title and "empty" in caught.value.hint
    assert _tree(target) == before


def test_a_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "notes"
    target.write_text("mine")
    with pytest.raises(TTMatrixError, match="is not a directory"):
        lay_out(target)
    assert target.read_text() == "mine"


def test_without_git_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TTMatrixError) as caught:
        lay_out(tmp_path / "a" / "b")
    assert "git" in caught.value.detail and caught.value.hint == "Install git and try again."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("subcommand", ["init", "fast-import", "checkout"])
@pytest.mark.parametrize("exists", [True, False])
def test_where_git_fails_the_target_is_as_it_was(tmp_path: Path, subcommand: str, exists: bool) -> None:
    target = tmp_path / "target"
    if exists:
        target.mkdir()
    with pytest.raises(TTMatrixError) as caught:
        lay_out(target, FailingRunner(subcommand))
    assert "disk full" in caught.value.detail and subcommand in caught.value.detail
    assert target.exists() == exists
    assert not exists or list(target.iterdir()) == []


def test_a_place_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TTMatrixError, match="Cannot make"):
        lay_out(tmp_path / "file" / "checkout")


def test_it_can_be_laid_out_again_after_it_was_removed(tmp_path: Path) -> None:
    target = tmp_path / "checkout"
    lay_out(target)
    shutil.rmtree(target)
    lay_out(target)
    assert _git(target, "status", "--porcelain") == ""
