# SPDX-License-Identifier: Apache-2.0
"""One commit: its diff of the expectation files only, and its address on the web."""

from pathlib import Path

from core.history import commit_link, show_commit
from core.sources import Checkout
from tests.support.commits import FILE, State, commit_states, entries
from tests.support.git import git
from tests.support.tree import LOADERS, write_checkout


def test_a_commit_with_its_diff_and_link(tmp_path: Path) -> None:
    commit_states(
        tmp_path, [State({FILE: entries(a_x="EXPECTED_PASSING")}), State({FILE: entries(a_y="EXPECTED_PASSING")})]
    )
    checkout = Checkout(write_checkout(tmp_path, LOADERS, {}).root)
    head = git(tmp_path, "rev-parse", "HEAD").strip()
    lines = show_commit(checkout, head)
    assert lines[0] == f"commit {head}"
    assert any(line.startswith("+  ") for line in lines)
    assert commit_link(checkout, head) == ""
    git(tmp_path, "remote", "add", "origin", "https://example.org/some/fork")
    assert commit_link(checkout, head) == f"https://example.org/some/fork/commit/{head}"
