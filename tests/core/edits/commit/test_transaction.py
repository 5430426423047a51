# SPDX-License-Identifier: Apache-2.0
"""Commits with a real git: they contain the operations, and all other work is unchanged."""

import errno
import os
import sys
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError, UsageError
from core.base.processes import run_command
from core.edits import Operation, OpKind, plan
from core.edits.commit import CommitDraft, commit
from core.edits.planning import write
from core.sources import Checkout
from tests.support.git import committed_checkout, git, hook, state
from tests.support.tree import INFERENCE, TRAINING, YAML, sample

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))
TRAIN = "alpha/pytorch-tiny-single_device-training"
PREFIX = "tests/runner/test_config"

PASS = Operation(OpKind.SET, TRAIN, path=("status",), value="EXPECTED_PASSING")
CLEAR = Operation(OpKind.UNSET, TRAIN, path=("reason",))
SKIP = Operation(OpKind.SET, TINY, path=("status",), value="NOT_SUPPORTED_SKIP")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return committed_checkout(sample(tmp_path / "tt-xla"))


def made(checkout: Checkout, *drafts: CommitDraft) -> tuple[str, ...]:
    """Write the operations and commit them."""
    operations = [op for draft in drafts for op in draft.operations]
    write(plan(checkout.test_config, operations), checkout.test_config)
    return commit(checkout, drafts).revisions


def shown(checkout: Checkout, name: str, revision: str = "HEAD") -> str:
    return git(checkout.root, "show", f"{revision}:{PREFIX}/{name}")


def test_a_commit_of_exactly_that(checkout: Checkout) -> None:
    (revision,) = made(checkout, CommitDraft("Promote\n\n#123 says why\n", (PASS, CLEAR)))
    assert git(checkout.root, "rev-parse", "HEAD").strip() == revision
    assert git(checkout.root, "log", "-1", "--format=%B").strip() == "Promote\n\n#123 says why"
    assert git(checkout.root, "show", "--name-only", "--format=").split() == [f"{PREFIX}/{TRAINING}"]
    assert git(checkout.root, "status", "--porcelain") == ""
    assert git(checkout.root, "diff-files") == ""


def test_other_work_keeps_its_state_even_in_the_same_file(checkout: Checkout) -> None:
    root, file = checkout.root, checkout.test_config / TRAINING
    (root / "fresh.txt").write_text("mine")
    git(root, "add", "fresh.txt")
    # One change of the file is staged, a second one is not.
    file.write_text(file.read_text().replace("Bad StatusOr access", "staged words"))
    git(root, "add", "--all")
    file.write_text(file.read_text() + "# not staged\n")
    (checkout.test_config / INFERENCE).write_text(YAML[INFERENCE] + "# dirty\n")
    cached = git(root, "diff", "--cached", "--", "fresh.txt")
    (revision,) = made(checkout, CommitDraft("m", (PASS,)))
    assert git(root, "show", "--name-only", "--format=").split() == [f"{PREFIX}/{TRAINING}"]
    assert "staged words" not in shown(checkout, TRAINING)
    assert shown(checkout, TRAINING) == YAML[TRAINING].replace("KNOWN_FAILURE_XFAIL", "EXPECTED_PASSING", 1)
    # The index is the commit with the staged change, the file is the index with the other one.
    assert shown(checkout, TRAINING, "") == shown(checkout, TRAINING).replace("Bad StatusOr access", "staged words")
    assert file.read_text() == shown(checkout, TRAINING, "") + "# not staged\n"
    assert git(root, "diff", "--cached", "--", "fresh.txt") == cached
    assert git(root, "status", "--porcelain").splitlines() == [
        "A  fresh.txt",
        f" M {PREFIX}/{INFERENCE}",
        f"MM {PREFIX}/{TRAINING}",
    ]
    assert revision


def test_a_submodule_stays_where_it_is_staged_and_where_it_is(checkout: Checkout, tmp_path: Path) -> None:
    root, other = checkout.root, tmp_path / "other"
    other.mkdir()
    (other / "f").write_text("1")
    committed_checkout(Checkout(other))
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    git(root, "commit", "--quiet", "--message=sub")
    git(root / "sub", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "2", "--allow-empty")
    git(root, "add", "sub")
    (root / "sub" / "f").write_text("dirty")
    before = git(root, "status", "--porcelain=v2")
    made(checkout, CommitDraft("m", (PASS,)))
    assert git(root, "status", "--porcelain=v2") == before
    assert git(root, "show", "--name-only", "--format=").split() == [f"{PREFIX}/{TRAINING}"]


def test_several_commits_of_one_file_build_on_each_other(checkout: Checkout) -> None:
    one, two = made(checkout, CommitDraft("status", (PASS,)), CommitDraft("reason", (CLEAR,)))
    assert git(checkout.root, "log", "--format=%s", "-2").split() == ["reason", "status"]
    assert git(checkout.root, "rev-parse", f"{two}^").strip() == one
    assert shown(checkout, TRAINING, one) == YAML[TRAINING].replace("KNOWN_FAILURE_XFAIL", "EXPECTED_PASSING", 1)
    assert shown(checkout, TRAINING, two) == (checkout.test_config / TRAINING).read_text()
    assert git(checkout.root, "status", "--porcelain") == ""


@pytest.mark.parametrize("more", ["", "# mine\n"])
def test_what_somebody_has_staged_of_it_already(checkout: Checkout, more: str) -> None:
    operations = (
        PASS,
        CLEAR,
        Operation(OpKind.REMOVE, TINY),
        Operation(OpKind.RENAME, NET, to=f"{NET}-x"),
        Operation(OpKind.ADD, "a/pytorch-single_device-training", TRAINING, value={"status": "EXPECTED_PASSING"}),
    )
    write(plan(checkout.test_config, operations), checkout.test_config)
    for name in (TRAINING, INFERENCE):
        with (checkout.test_config / name).open("a") as file:
            file.write(more)
    git(checkout.root, "add", "--all")
    staged = {name: shown(checkout, name, "") for name in (TRAINING, INFERENCE)}
    commit(checkout, [CommitDraft("m", operations)])
    assert {name: shown(checkout, name, "") for name in staged} == staged
    assert {name: shown(checkout, name) + more for name in staged} == staged
    assert git(checkout.root, "diff") == ""


KILLED = """
import os, sys
from pathlib import Path
from core.edits.commit.transaction import CommitDraft, commit
from core.edits.operations import Operation, OpKind
from core.sources.checkout import Checkout
os.environ["COMMITTER"] = str(os.getpid())
operation = Operation(OpKind.SET, {id!r}, path=("status",), value="EXPECTED_PASSING")
commit(Checkout(Path(sys.argv[1])), [CommitDraft("m", (operation,))])
"""


def test_killed_within_a_hook_it_can_be_done_again(checkout: Checkout) -> None:
    write(plan(checkout.test_config, [PASS]), checkout.test_config)
    hook(checkout.root, "pre-commit", "kill -9 $COMMITTER; exit 1")
    before, text = git(checkout.root, "rev-parse", "HEAD"), (checkout.test_config / TRAINING).read_text()
    code = KILLED.format(id=TRAIN)
    done = run_command([sys.executable, "-c", code, str(checkout.root)], cwd=Path(__file__).parents[4])
    assert done.returncode == -9
    assert git(checkout.root, "rev-parse", "HEAD") == before
    assert (checkout.test_config / TRAINING).read_text() == text
    (checkout.root / ".git" / "hooks" / "pre-commit").unlink()
    assert list((checkout.root / ".git").glob("ttmatrix-*"))
    commit(checkout, [CommitDraft("m", (PASS,))])
    assert git(checkout.root, "status", "--porcelain") == ""
    assert not list((checkout.root / ".git").glob("ttmatrix-*"))
    assert not (checkout.root / ".git" / "index.lock").exists()


def dirty(checkout: Checkout) -> None:
    """Somebody's staged and unstaged work, in the edited file and in others."""
    file = checkout.test_config / TRAINING
    file.write_text(file.read_text().replace("Bad StatusOr access", "staged words"))
    git(checkout.root, "add", "--all")
    file.write_text(file.read_text() + "# not staged\n")
    (checkout.root / "fresh.txt").write_text("mine")


@pytest.mark.parametrize(
    ("name", "script", "words"),
    [
        ("pre-commit", "echo 'no trailing spaces please' >&2; exit 1", "no trailing spaces please"),
        ("commit-msg", "echo 'too long'; exit 1", "too long"),
        # The second of two commits fails: the first one is undone.
        ("commit-msg", "grep -q two $1 && { echo 'not two'; exit 1; }; exit 0", "not two"),
    ],
)
def test_a_hook_that_refuses_is_quoted_and_leaves_everything(
    checkout: Checkout, name: str, script: str, words: str
) -> None:
    dirty(checkout)
    hook(checkout.root, name, script)
    write(plan(checkout.test_config, [PASS, SKIP]), checkout.test_config)
    before = state(checkout.root)
    with pytest.raises(TTMatrixError) as caught:
        commit(checkout, [CommitDraft("one", (PASS,)), CommitDraft("two", (SKIP,))])
    assert (caught.value.title, caught.value.detail) == ("git commit failed", words)
    assert state(checkout.root) == before
    assert not list((checkout.root / ".git").glob("*.lock"))
    assert not list((checkout.root / ".git").glob("ttmatrix*"))


def test_what_hooks_say_is_given_back(checkout: Checkout) -> None:
    hook(checkout.root, "pre-commit", "echo checked >&2")
    hook(checkout.root, "post-commit", "echo thanks")
    write(plan(checkout.test_config, [PASS]), checkout.test_config)
    assert commit(checkout, [CommitDraft("m", (PASS,))]).output.split() == ["checked", "thanks"]


def test_a_hook_sees_what_is_committed_as_with_any_commit(checkout: Checkout) -> None:
    dirty(checkout)
    hook(
        checkout.root, "pre-commit", "git diff --cached --name-only -- '*.yaml' >&2; git diff --cached | grep '^+ ' >&2"
    )
    write(plan(checkout.test_config, [PASS]), checkout.test_config)
    said = commit(checkout, [CommitDraft("m", (PASS,))]).output.splitlines()
    assert said == [f"{PREFIX}/{TRAINING}", "+    status: EXPECTED_PASSING"]


def test_what_a_hook_adds_is_committed_and_leaves_the_index_clean(checkout: Checkout) -> None:
    path = f"{PREFIX}/{TRAINING}"
    hook(checkout.root, "pre-commit", f"echo '# fixed' >> {path}; git add {path}")
    made(checkout, CommitDraft("m", (PASS,)))
    assert shown(checkout, TRAINING).endswith("# fixed\n")
    assert git(checkout.root, "status", "--porcelain") == ""


def test_line_ends_in_git_are_not_those_of_the_work_tree(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    committed_checkout(checkout)
    git(checkout.root, "config", "core.autocrlf", "true")
    for name in YAML:
        (checkout.test_config / name).unlink()
    git(checkout.root, "checkout", "--", ".")
    assert b"\r\n" in (checkout.test_config / TRAINING).read_bytes()
    made(checkout, CommitDraft("m", (PASS,)))
    assert "\r" not in shown(checkout, TRAINING)
    assert len(git(checkout.root, "diff", "HEAD^", "HEAD", "--numstat").split()) == 3
    assert git(checkout.root, "diff", "HEAD^", "HEAD", "--numstat").startswith("1\t1\t")
    assert git(checkout.root, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("MERGE_HEAD", "In the middle of a merge"),
        ("CHERRY_PICK_HEAD", "In the middle of a cherry-pick"),
        ("REVERT_HEAD", "In the middle of a revert"),
        ("rebase-merge", "In the middle of a rebase"),
    ],
)
def test_in_the_middle_of_something_nothing_is_committed(checkout: Checkout, name: str, title: str) -> None:
    (checkout.root / ".git" / name).write_text(git(checkout.root, "rev-parse", "HEAD"))
    with pytest.raises(TTMatrixError, match=title):
        commit(checkout, [CommitDraft("m", (PASS,))])


def test_an_unmerged_file_is_refused(checkout: Checkout) -> None:
    blob = git(checkout.root, "rev-parse", f"HEAD:{PREFIX}/{TRAINING}").strip()
    lines = "".join(f"100644 {blob} {stage}\t{PREFIX}/{TRAINING}\n" for stage in (1, 2, 3))
    git(checkout.root, "rm", "--quiet", "--cached", f"{PREFIX}/{TRAINING}")
    git(checkout.root, "update-index", "--index-info", stdin=lines)
    before = state(checkout.root)
    with pytest.raises(TTMatrixError, match="has conflicts"):
        commit(checkout, [CommitDraft("m", (PASS,))])
    assert state(checkout.root) == before


def test_a_file_staged_for_removal_is_refused(checkout: Checkout) -> None:
    git(checkout.root, "rm", "--quiet", "--cached", f"{PREFIX}/{TRAINING}")
    with pytest.raises(TTMatrixError, match="staged for removal"):
        commit(checkout, [CommitDraft("m", (PASS,))])


def test_a_sparse_checkout_without_the_file_is_refused(checkout: Checkout) -> None:
    git(checkout.root, "update-index", "--skip-worktree", f"{PREFIX}/{TRAINING}")
    with pytest.raises(TTMatrixError, match="outside the sparse checkout"):
        commit(checkout, [CommitDraft("m", (PASS,))])


def test_an_operation_that_rests_on_other_work_is_refused(checkout: Checkout) -> None:
    new = "alpha/pytorch-tiny-data_parallel-inference"
    file = checkout.test_config / INFERENCE
    file.write_text(f"{YAML[INFERENCE]}  {new}:\n    status: EXPECTED_PASSING\n")
    before = state(checkout.root)
    with pytest.raises(TTMatrixError, match="cannot be done on the last commit") as caught:
        commit(checkout, [CommitDraft("m", (Operation(OpKind.SET, new, INFERENCE, ("status",), "EXCLUDE_MODEL"),))])
    assert "commit those first" in caught.value.hint
    assert state(checkout.root) == before


def test_without_a_first_commit_there_is_none_to_begin_with(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    with pytest.raises(TTMatrixError, match="not a git repository"):
        commit(checkout, [CommitDraft("m", (PASS,))])
    git(tmp_path, "init", "--quiet")
    with pytest.raises(TTMatrixError, match="no commit yet"):
        commit(checkout, [CommitDraft("m", (PASS,))])


def test_a_missing_identity_is_reported_in_gits_own_words(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    git(checkout.root, "config", "user.useConfigOnly", "true")
    git(checkout.root, "config", "--unset", "user.email")
    for name in ("EMAIL", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(TTMatrixError, match="who you are") as caught:
        commit(checkout, [CommitDraft("m", (PASS,))])
    assert "email" in caught.value.detail


def test_signing_that_would_ask_fails_instead_of_waiting(checkout: Checkout, tmp_path: Path) -> None:
    asking = tmp_path / "asking"
    asking.write_text("#!/bin/sh\nread answer < /dev/tty || { echo 'no terminal' >&2; exit 1; }\n")
    asking.chmod(0o755)
    git(checkout.root, "config", "commit.gpgsign", "true")
    git(checkout.root, "config", "gpg.program", str(asking))
    before = state(checkout.root)
    with pytest.raises(TTMatrixError, match="git commit failed") as caught:
        commit(checkout, [CommitDraft("m", (PASS,))])
    assert "gpg" in caught.value.detail
    assert state(checkout.root) == before


def test_a_commit_of_no_branch_is_made_and_reported(checkout: Checkout) -> None:
    git(checkout.root, "checkout", "--quiet", "--detach")
    write(plan(checkout.test_config, [PASS]), checkout.test_config)
    assert commit(checkout, [CommitDraft("m", (PASS,))]).detached


def test_a_checkout_within_a_repository(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "inner" / "tt-xla")
    committed_checkout(Checkout(tmp_path))
    made(checkout, CommitDraft("m", (PASS,)))
    assert git(tmp_path, "show", "--name-only", "--format=").split() == [f"inner/tt-xla/{PREFIX}/{TRAINING}"]
    assert git(tmp_path, "status", "--porcelain") == ""


def test_a_linked_work_tree(checkout: Checkout, tmp_path: Path) -> None:
    git(checkout.root, "worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    side = Checkout(tmp_path / "side")
    made(side, CommitDraft("m", (PASS,)))
    assert git(side.root, "status", "--porcelain") == git(checkout.root, "status", "--porcelain") == ""
    assert git(checkout.root, "rev-list", "--count", "main..side").strip() == "1"


@pytest.mark.parametrize(
    ("drafts", "title"),
    [
        ([CommitDraft(" \n", (PASS,))], "A commit needs a message"),
        ([], "There is nothing to commit"),
        ([CommitDraft("m", ())], "There is nothing to commit"),
        (
            [CommitDraft("m", (Operation(OpKind.SET, TINY, path=("status",), value="EXPECTED_PASSING"),))],
            "There is nothing to commit",
        ),
    ],
)
def test_a_request_that_means_nothing(checkout: Checkout, drafts: list[CommitDraft], title: str) -> None:
    before = state(checkout.root)
    with pytest.raises(UsageError, match=title):
        commit(checkout, drafts)
    assert state(checkout.root) == before


def test_a_disk_without_room_is_reported_before_anything_is_done(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, offset: int, length: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = state(checkout.root)
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(TTMatrixError, match="Not enough disk space for a commit") as caught:
        commit(checkout, [CommitDraft("m", (PASS,))])
    assert "No space left on device: " in caught.value.detail
    assert state(checkout.root) == before
    assert not list((checkout.root / ".git").glob("ttmatrix-*"))


def test_where_the_lock_of_the_index_was_removed_nothing_is_done(checkout: Checkout) -> None:
    path = f"{PREFIX}/{TRAINING}"
    # The hook changes the commit, so that the index must follow, and removes our lock.
    hook(checkout.root, "pre-commit", f"echo '# fixed' >> {path}; git add {path}; git show HEAD:{path} > {path}")
    hook(checkout.root, "post-commit", "rm .git/index.lock; : > .git/index.lock")
    before = state(checkout.root)
    with pytest.raises(TTMatrixError, match="no longer locked") as caught:
        commit(checkout, [CommitDraft("m", (PASS,))])
    assert "index.lock is no longer ours" in caught.value.detail
    # Another git may hold it now.
    (checkout.root / ".git" / "index.lock").unlink()
    assert state(checkout.root) == before


def test_an_index_that_somebody_else_changed_stays(checkout: Checkout) -> None:
    hook(
        checkout.root,
        "pre-commit",
        "unset GIT_INDEX_FILE; rm .git/index.lock; echo x > mine; git add mine; exit 1",
    )
    with pytest.raises(TTMatrixError, match="git commit failed") as caught:
        commit(checkout, [CommitDraft("m", (PASS,))])
    assert "was changed by somebody else since" in caught.value.hint
    assert "A  mine" in git(checkout.root, "status", "--porcelain").splitlines()


def test_a_branch_that_somebody_else_moved_is_not_taken_back(checkout: Checkout) -> None:
    hook(
        checkout.root,
        "post-commit",
        'unset GIT_REFLOG_ACTION; git update-ref -m theirs HEAD $(git commit-tree -p HEAD -m theirs "HEAD^{tree}")',
    )
    with pytest.raises(TTMatrixError, match="The branch has moved since you started"):
        commit(checkout, [CommitDraft("m", (PASS,))])
    assert git(checkout.root, "log", "-1", "--format=%s").strip() == "theirs"


def test_a_commit_that_a_hook_adds_is_one_of_ours(checkout: Checkout) -> None:
    hook(checkout.root, "post-commit", "test -e once || { : > once; git commit -qm more --allow-empty; }")
    write(plan(checkout.test_config, [PASS]), checkout.test_config)
    commit(checkout, [CommitDraft("m", (PASS,))])
    assert git(checkout.root, "log", "--format=%s").split() == ["more", "m", "first"]
    assert git(checkout.root, "log", "-g", "-1", "--format=%gs").strip() == "commit (ttmatrix): more"
