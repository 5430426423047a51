# SPDX-License-Identifier: Apache-2.0
"""The history of a checkout's entries, read from git and updated."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import BinaryResult, run_binary
from core.history.commits import EntryHistory, read_entry_history, read_uncommitted
from core.history.pairing import EntryEdit, Location
from core.sources import Checkout, Git, reading
from tests.support.commits import FILE, State, commit_states, entries, entry_id

PLACEHOLDERS = "torch/test_config_placeholders.yaml"
STATES = [
    State({"constants.py": "X = 1\n", "test_config_inference.py": "test_config = {}\n"}),
    State({"test_config_inference.yaml": entries(alpha_tiny="A"), PLACEHOLDERS: "PLACEHOLDER_MODELS:\n  x: {}\n"}),
    State({FILE: entries(alpha_tiny="A"), "README.md": "no"}),
    State({FILE: entries(alpha_tiny="B")}),
]


class Counted:
    """A runner that records its commands."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.stdin = b""

    def __call__(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        stdin: bytes,
        timeout: float | None = None,
    ) -> BinaryResult:
        word = argv[len(reading())]
        self.words.append(word)
        self.stdin += stdin if word == "cat-file" else b""
        return run_binary(argv, cwd=cwd, env=env, stdin=stdin)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    commit_states(tmp_path, STATES)
    return Checkout(tmp_path)


def told(history: EntryHistory) -> list[list[tuple[object, ...]]]:
    """The steps of each commit, oldest first: locations and statuses before and after."""
    return [
        [
            (edit.before and edit.before.file, (edit.old or {}).get("status"), edit.after and edit.after.file, (edit.new or {}).get("status"))
            for edit in edits
        ]
        for edits in [*history.edits.values()][::-1]
    ]  # fmt: skip


def test_every_commit_with_what_it_did_to_entries(checkout: Checkout) -> None:
    history = read_entry_history(checkout)
    old = "test_config_inference.yaml"
    assert told(history) == [[], [(None, None, old, "A")], [(old, "A", FILE, "A")], [(FILE, "A", FILE, "B")]]
    assert [*history.files] == [FILE]
    assert (history.head, history.shallow, history.skipped) == (history.commits[0].id, False, ())


def test_nothing_is_read_twice(checkout: Checkout) -> None:
    runner = Counted()
    git = Git(checkout.root, runner)
    first = read_entry_history(checkout, git=git)
    runner.words.clear()
    assert read_entry_history(checkout, first, git) is first
    assert runner.words == ["rev-parse"]
    commit(checkout, {FILE: entries(alpha_tiny="C")})
    runner.stdin = b""
    second = read_entry_history(checkout, first, git)
    assert len(runner.stdin.split()) == 2
    assert told(second) == [*told(first), [(FILE, "B", FILE, "C")]]
    assert second == read_entry_history(checkout)


def test_commits_that_are_no_longer_ancestors_are_forgotten(checkout: Checkout) -> None:
    first = read_entry_history(checkout)
    subprocess.run(["git", "reset", "-q", "--hard", "HEAD~2"], cwd=checkout.root, check=True)
    second = read_entry_history(checkout, first)
    assert second == read_entry_history(checkout)
    assert len(second.commits) == 2


def test_a_linked_work_tree_and_a_shallow_clone(checkout: Checkout, tmp_path: Path) -> None:
    for words in (
        ["worktree", "add", "-q", "linked", "HEAD~1"],
        ["clone", "-q", "--depth=1", f"file://{tmp_path}", "part"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)
    assert len(read_entry_history(Checkout(tmp_path / "linked")).commits) == 3
    part = read_entry_history(Checkout(tmp_path / "part"))
    assert part.shallow and told(part) == [[(None, None, FILE, "B")]]


def test_a_state_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    commit_states(tmp_path, [*STATES, State({FILE: "test_config: ["}), State({FILE: entries(alpha_tiny="C")})])
    history = read_entry_history(Checkout(tmp_path))
    assert told(history)[-2:] == [[], [(FILE, "B", FILE, "C")]]
    assert [(one.commit, one.file) for one in history.skipped] == [(history.commits[1].id, FILE)]
    assert read_entry_history(Checkout(tmp_path), history) == history


def test_what_is_not_committed(checkout: Checkout) -> None:
    history = read_entry_history(checkout)
    assert read_uncommitted(checkout, history) == ((), ())
    id = entry_id("alpha_tiny")
    (checkout.test_config / FILE).write_text(entries(alpha_tiny="C"))
    edit = EntryEdit(Location(FILE, id), {"status": "B"}, Location(FILE, id), {"status": "C"})
    assert read_uncommitted(checkout, history) == ((edit,), ())
    new = "jax/test_config_new.yaml"
    (checkout.test_config / "jax").mkdir()
    (checkout.test_config / FILE).rename(checkout.test_config / new)
    moved = EntryEdit(Location(FILE, id), {"status": "B"}, Location(new, id), {"status": "C"})
    assert read_uncommitted(checkout, history) == ((moved,), ())


def test_a_file_on_disk_that_cannot_be_read(checkout: Checkout) -> None:
    history = read_entry_history(checkout)
    (checkout.test_config / FILE).write_text("test_config: [")
    edits, [skipped] = read_uncommitted(checkout, history)
    assert (edits, skipped.commit, skipped.file) == ((), "", FILE)
    (checkout.test_config / FILE).unlink()
    (checkout.test_config / FILE).symlink_to(FILE)
    edits, [skipped] = read_uncommitted(checkout, history)
    assert (edits, skipped.reason) == ((), "Cannot be read, or is not in this clone")


def test_without_git_there_is_no_history(tmp_path: Path) -> None:
    (tmp_path / "tests/runner/test_config").mkdir(parents=True)
    with pytest.raises(TTMatrixError, match="git cannot read"):
        read_entry_history(Checkout(tmp_path))


def commit(checkout: Checkout, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (checkout.test_config / name).write_text(text)
    who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]
    subprocess.run(["git", *who, "commit", "-q", "--all", "--message=more"], cwd=checkout.root, check=True)
