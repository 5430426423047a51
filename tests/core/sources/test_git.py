# SPDX-License-Identifier: Apache-2.0
"""Git's answers about one directory, from real repositories."""

import subprocess
from pathlib import Path

import pytest

from core.errors import TTMatrixError
from core.sources.git import Edge, FileChange, Git
from tests.support.commits import DAY, State, commit_states

ODD = 'odd "näme" \t.yaml'


@pytest.fixture
def git(tmp_path: Path) -> Git:
    root = tmp_path / 'a $HOME "quoted" [x] ünï'
    commit_states(
        root,
        [
            State({"a.yaml": "1", "/outside": "x"}, "First"),
            State({"a.yaml": "1", "/outside": "y"}, "Elsewhere"),
            State({"a.yaml": b"2\xff\r\n\x00", ODD: "new"}, "Second\x1fwith: odd\ttext"),
            State({ODD: "new"}, "Third"),
        ],
        "dir/[config]",
    )
    return Git(root)


def test_commits_that_touch_the_directory_newest_first(git: Git) -> None:
    head = git.head()
    found = git.commits(head.commit, "dir/[config]")
    assert [(one.subject, one.time) for one in found] == [
        ("Third", 3 * DAY),
        ("Second\x1fwith: odd\ttext", 2 * DAY),
        ("First", 0),
    ]
    assert [one.parents for one in found] == [(found[1].id,), (found[2].id,), ()]
    assert (found[0].id, found[0].author, head.shallow) == (head.commit, "Somebody", False)


def test_changes_and_blobs_are_what_stood_there(git: Git) -> None:
    third, second, first = (one.id for one in git.commits(git.head().commit, "dir/[config]"))
    edges = [Edge(first, ""), Edge(second, first), Edge(second, second), Edge(third, second)]
    found = git.changes(edges, "dir/[config]")
    paths = {edge: [(one.path, bool(one.before), bool(one.after)) for one in files] for edge, files in found.items()}
    assert paths == {
        edges[0]: [("dir/[config]/a.yaml", False, True)],
        edges[1]: [("dir/[config]/a.yaml", True, True), (f"dir/[config]/{ODD}", False, True)],
        edges[2]: [],
        edges[3]: [("dir/[config]/a.yaml", True, False)],
    }
    before, after = found[edges[1]][0][1:]
    assert before and after
    assert dict(git.blobs([before, after, before, "0" * 39 + "1"])) == {
        before: b"1",
        after: b"2\xff\r\n\x00",
        "0" * 39 + "1": None,
    }
    assert git.files(third, "dir/[config]") == {f"dir/[config]/{ODD}": found[edges[1]][1].after}
    assert found[edges[3]] == (FileChange("dir/[config]/a.yaml", after, None),)


def test_more_blobs_than_are_asked_for_at_once(tmp_path: Path) -> None:
    commit_states(tmp_path, [State({f"{n}.yaml": str(n) for n in range(150)})], "dir")
    git = Git(tmp_path)
    blobs = git.files("HEAD", "dir")
    found = dict(git.blobs(blobs.values()))
    assert {path: found[blob] for path, blob in blobs.items()} == {f"dir/{n}.yaml": str(n).encode() for n in range(150)}


def test_a_shallow_clone_says_so(tmp_path: Path) -> None:
    commit_states(tmp_path / "whole", [State({"a": "1"}), State({"a": "2"})], "dir")
    subprocess.run(
        ["git", "clone", "-q", "--depth=1", f"file://{tmp_path}/whole", "part"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    git = Git(tmp_path / "part")
    assert git.head().shallow
    [only] = git.commits(git.head().commit, "dir")
    assert only.parents == ()
    assert [one.before for one in git.changes([Edge(only.id, "")], "dir")[Edge(only.id, "")]] == [None]


def test_no_repository_no_commit_and_no_git_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TTMatrixError, match="no history") as caught:
        Git(tmp_path).head()
    assert "not a git repository" in caught.value.detail
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    with pytest.raises(TTMatrixError, match="no history"):
        Git(tmp_path).head()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TTMatrixError, match="Cannot run git"):
        Git(tmp_path).head()
