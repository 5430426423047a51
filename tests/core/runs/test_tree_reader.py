# SPDX-License-Identifier: Apache-2.0
"""core.runs.tree: commits of checkout and submodule, whether they hold the code, and how far others are away."""

from pathlib import Path

import pytest

from core.runs import TreeReader
from core.runs.tree import Distance, Heads
from core.sources import Checkout
from tests.support.git import committed_checkout, git
from tests.support.tree import sample

TINY = "alpha/pytorch-tiny-single_device-inference"


def commit(root: Path, subject: str) -> str:
    git(root, "commit", "--quiet", "--allow-empty", f"--message={subject}")
    return git(root, "rev-parse", "HEAD").strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return committed_checkout(sample(tmp_path / "tt-xla"))


def test_a_history_has_one_first_commit(checkout: Checkout, tmp_path: Path) -> None:
    first = git(checkout.root, "rev-parse", "HEAD").strip()
    reader = TreeReader(checkout)
    assert reader.heads() == Heads(first, first, "")
    second = commit(checkout.root, "second")
    assert reader.heads() == Heads(first, second, "")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(checkout.root), str(clone))
    assert TreeReader(Checkout(clone)).heads() == Heads(first, second, "")
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{checkout.root}", str(shallow))
    assert TreeReader(Checkout(shallow)).heads() == Heads("", second, "")


def test_without_git_nothing_is_known_but_the_code(tmp_path: Path) -> None:
    reader = TreeReader(sample(tmp_path / "tt-xla"))
    state = reader.state(TINY)
    assert reader.heads() == ("", "", "") == (state.repository, state.commit, state.models)
    assert state.loader
    assert not state.committed
    assert reader.head_files() == ()
    assert TreeReader(Checkout(tmp_path / "gone")).state(TINY).loader == ""


def test_code_is_committed_or_not(checkout: Checkout) -> None:
    reader = TreeReader(checkout)
    assert reader.state(TINY).committed
    (checkout.models / "beta/causal_lm/pytorch/loader.py").write_text("# not its own\n")
    assert reader.state(TINY).committed
    base = checkout.models / "base.py"
    text = base.read_text()
    base.write_text(f"{text}# changed\n")
    assert not reader.state(TINY).committed
    git(checkout.root, "add", "--all")
    assert not reader.state(TINY).committed, "staged is not committed"
    commit(checkout.root, "second")
    assert reader.state(TINY).committed
    assert not reader.state("gone/pytorch-single_device-inference").committed
    assert not reader.state("no id").committed


def test_a_submodule_has_commits_of_its_own(checkout: Checkout) -> None:
    before = TreeReader(checkout).state(TINY)
    models = committed_checkout(Checkout(checkout.models)).root
    reader = TreeReader(checkout)
    state = reader.state(TINY)
    assert state.models == git(models, "rev-parse", "HEAD").strip() != state.commit
    assert state.committed
    assert (state.loader, state.imports) == (before.loader, before.imports)
    later = commit(models, "second")
    assert reader.heads().models == later
    assert reader.distance(state.models, later, models=True) == Distance(0, 1)


def test_distances(checkout: Checkout) -> None:
    first = git(checkout.root, "rev-parse", "HEAD").strip()
    second, third = commit(checkout.root, "second"), commit(checkout.root, "third")
    git(checkout.root, "checkout", "--quiet", "-b", "other", second)
    other = commit(checkout.root, "other")
    reader = TreeReader(checkout)
    assert reader.distance(first, third) == Distance(0, 2)
    assert reader.distance(third, first) == Distance(2, 0)
    assert reader.distance(third, other) == Distance(1, 1)
    assert reader.distance("0" * 40, third) is None
    assert reader.distance("--all", third) is None


@pytest.mark.parametrize("linked", [False, True])
def test_another_commit_changes_one_of_the_files(checkout: Checkout, tmp_path: Path, linked: bool) -> None:
    if linked:
        git(checkout.root, "worktree", "add", "--quiet", "-b", "beside", str(tmp_path / "beside"))
        checkout = Checkout(tmp_path / "beside")
    reader = TreeReader(checkout)
    files = reader.head_files()
    assert {file.name for file in files if file.is_file()} == {"HEAD"}
    assert any(file.parent.name == "logs" and file.is_file() for file in files)

    def seen() -> list[tuple[int, bytes]]:
        return [(file.stat().st_mtime_ns, file.read_bytes()) for file in files if file.is_file()]

    before = seen()
    commit(checkout.root, "second")
    after = seen()
    assert before != after
    git(checkout.root, "checkout", "--quiet", "--detach", "HEAD~1")
    assert seen() != after
