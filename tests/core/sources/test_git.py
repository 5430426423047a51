# SPDX-License-Identifier: Apache-2.0
"""Git's answers about one directory, from real repositories."""

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import BinaryResult, run_binary
from core.sources import Edge, FileChange, Git
from tests.support.commits import DAY, State, commit_states
from tests.support.hostile import make_hostile, marks_in

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


def test_changes_and_blobs_are_what_was_there(git: Git) -> None:
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


def test_several_files_are_read_at_once(git: Git) -> None:
    asked: list[Sequence[str]] = []

    def run(argv: Sequence[str], **options: Any) -> BinaryResult:
        asked.append(argv)
        return run_binary(argv, **options)

    second = git.commits(git.head().commit, "dir/[config]")[1].id
    names = [f"dir/[config]/{name}" for name in ("a.yaml", ODD, "none.yaml")]
    found = replace(git, run=run).contents([*names, "dir"], second)
    assert found == {names[0]: b"2\xff\r\n\x00", names[1]: b"new"}
    assert len(asked) == 2
    assert git.content(names[1]) == b"new" and git.content(names[0]) is None


def test_an_answer_that_stops_early_is_no_answer(git: Git) -> None:
    """Git takes a failing read of its input for the end of the input, and ends without an error."""
    third, second, _ = (one.id for one in git.commits(git.head().commit, "dir/[config]"))
    ids = list(git.files(second, "dir/[config]").values())
    whole = git.attempt("cat-file", "--batch", stdin="".join(f"{id}\n" for id in ids))
    for length in range(len(whole.stdout)):
        cut = replace(git, run=lambda *_, length=length, **__: replace(whole, stdout=whole.stdout[:length]))
        with pytest.raises(TTMatrixError, match="incomplete"):
            list(cut.blobs(ids))
    deaf = replace(git, run=lambda *words, **options: run_binary(*words, **{**options, "stdin": b""}))
    with pytest.raises(TTMatrixError, match="incomplete"):
        deaf.changes([Edge(third, second)], "dir/[config]")


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


def test_no_repository_no_commit_and_no_git_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TTMatrixError, match="git cannot read") as caught:
        Git(tmp_path).head()
    assert "not a git repository" in caught.value.detail
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    with pytest.raises(TTMatrixError, match="There is no commit yet"):
        Git(tmp_path).head()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(TTMatrixError, match="Cannot run git"):
        Git(tmp_path).head()


def test_what_differs_from_the_commit_is_named(git: Git) -> None:
    root = git.root
    assert git.changed() == frozenset()
    (root / "dir" / "[config]" / ODD).write_text("other")
    (root / "new").write_text("git does not know it")
    assert git.changed() == git.changed(["dir/[config]"]) == {f"dir/[config]/{ODD}"}
    assert git.changed(["dir/[c]*", "elsewhere"]) == frozenset()
    inner = Git(root / "dir" / "[config]")
    assert inner.changed() == {ODD}
    assert (inner.content(ODD), inner.content("absent"), git.content(f"dir/[config]/{ODD}")) == (b"new", None, b"new")
    assert (git.own_root(), inner.own_root()) == (True, False)
    second = git.commits(git.head().commit, "dir/[config]")[1].id
    assert git.changed(["dir"], second) == {"dir/[config]/a.yaml", f"dir/[config]/{ODD}"}
    (root / "dir" / "[config]" / ODD).unlink()
    assert git.changed() == {f"dir/[config]/{ODD}"}


def test_a_time_that_no_calendar_has_is_the_last_there_is(tmp_path: Path) -> None:
    commit_states(tmp_path, [State({"a": "1"})], "dir")
    raw = subprocess.run(["git", "cat-file", "commit", "HEAD"], cwd=tmp_path, check=True, capture_output=True).stdout
    far = raw.replace(b"> 0 +0000", b"> 99999999999999 +0000")
    words = ["git", "hash-object", "-t", "commit", "-w", "--stdin"]
    id = subprocess.run(words, cwd=tmp_path, input=far, check=True, capture_output=True, text=False).stdout.decode()
    (one,) = Git(tmp_path).commits(id.strip(), "dir")
    assert datetime.fromtimestamp(one.time, UTC).year == 9999


def with_a_submodule(tmp_path: Path) -> tuple[Git, Git]:
    commit_states(tmp_path / "source", [State({"loader.py": "1"})], "dir")
    commit_states(tmp_path / "checkout", [State({"a.yaml": "1"}), State({"a.yaml": "2"})], "dir")
    words = [
        "git",
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        str(tmp_path / "source"),
        "models",
    ]
    subprocess.run(words, cwd=tmp_path / "checkout", check=True, capture_output=True)
    identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]
    subprocess.run(["git", *identity, "commit", "-qm", "pin"], cwd=tmp_path / "checkout", check=True)
    return Git(tmp_path / "checkout"), Git(tmp_path / "checkout" / "models")


def hostile_with_a_submodule(tmp_path: Path) -> tuple[Git, Git]:
    gits = with_a_submodule(tmp_path)
    for git in gits:
        make_hostile(git.root, tmp_path / "marks")
    return gits


def test_reading_starts_nothing_that_a_checkout_names(tmp_path: Path) -> None:
    git, models = hostile_with_a_submodule(tmp_path)
    (models.root / "dir" / "loader.py").write_text("2")
    head = git.head()
    [newest, oldest] = git.commits(head.commit, "dir")
    git.changes([Edge(newest.id, oldest.id)], "dir")
    assert git.content("dir/a.yaml") == b"2"
    assert git.pinned("models") == models.head_commit()
    assert git.pinned("dir") == git.pinned("absent") == ""
    # A file that was touched is compared with all filters turned off, and is the same.
    assert git.changed() == frozenset()
    assert models.changed() == {"dir/loader.py"}
    assert marks_in(tmp_path / "marks") == []


def test_the_hostile_checkout_does_start_programs_elsewhere(tmp_path: Path) -> None:
    git, _ = hostile_with_a_submodule(tmp_path)
    subprocess.run(["git", "status"], cwd=git.root, capture_output=True, check=False)
    assert {"fsmonitor", "process"} <= set(marks_in(tmp_path / "marks"))


def test_a_commit_of_a_submodule_is_a_change(tmp_path: Path) -> None:
    git, models = with_a_submodule(tmp_path)
    identity = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]
    words = ["git", *identity, "commit", "-q", "--allow-empty", "-m", "second"]
    subprocess.run(words, cwd=models.root, check=True)
    assert git.changed() == {"models"}
    assert git.pinned("models") != models.head_commit()


def test_an_object_that_a_partial_clone_lacks_is_not_fetched(tmp_path: Path) -> None:
    commit_states(tmp_path / "whole", [State({"a": "1"}), State({"a": "2"})], "dir")
    subprocess.run(["git", "config", "uploadpack.allowFilter", "true"], cwd=tmp_path / "whole", check=True)
    words = ["git", "clone", "-q", "--filter=blob:none", f"file://{tmp_path}/whole", "part"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    make_hostile(tmp_path / "part", tmp_path / "marks")
    subprocess.run(["git", "remote", "set-url", "origin", "ssh://nowhere.invalid/x"], cwd=tmp_path / "part", check=True)
    git = Git(tmp_path / "part")
    old = git.commits(git.head().commit, "dir")[1].id
    (blob,) = git.files(old, "dir").values()
    with pytest.raises(TTMatrixError, match="git cannot read"):
        list(git.blobs([blob]))
    assert marks_in(tmp_path / "marks") == []


def test_a_filter_whose_name_cannot_be_given_is_reported(git: Git) -> None:
    subprocess.run(["git", "config", "filter.a=b.clean", "true"], cwd=git.root, check=True)
    with pytest.raises(TTMatrixError, match="cannot look at the files") as caught:
        git.changed()
    assert "filter.a=b" in caught.value.detail
