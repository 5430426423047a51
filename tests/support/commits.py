# SPDX-License-Identifier: Apache-2.0
"""Git repositories with a given history, and entry histories without a repository."""

import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.history.commits import ChangeReader, EntryHistory
from core.sources import Commit, Edge, FileChange

DIRECTORY = "tests/runner/test_config"
FILE = "torch/test_config_inference_single_device.yaml"
OTHER = "torch/test_config_training_single_device.yaml"
DAY = 86_400


@dataclass(frozen=True, slots=True)
class State:
    """A commit: all files after it, and its parents by number; None: the previous commit.

    Paths are relative to the test_config directory, or with a leading slash to the root.
    """

    files: Mapping[str, str | bytes]
    subject: str = "Change"
    parents: tuple[int, ...] | None = None


def entries(**statuses: str) -> str:
    """An expectation file: `alpha_tiny="PASS"` is variant `tiny` of `alpha/pytorch`."""
    return yaml({entry_id(name): f"status: {status}" for name, status in statuses.items()})


def entry_id(name: str) -> str:
    """The id of the entry that `entries` makes for a name."""
    directory, _, variant = name.partition("_")
    return f"{directory}/pytorch-{variant}-single_device-inference"


def yaml(bodies: Mapping[str, str]) -> str:
    """An expectation file of entries whose fields are given as lines."""
    blocks = (f"  {id}:\n" + "".join(f"    {line}\n" for line in body.splitlines()) for id, body in bodies.items())
    return "test_config:\n" + "\n".join(blocks)


def commit_states(root: Path, states: Sequence[State], directory: str = DIRECTORY) -> None:
    """Make `root` a repository with one commit per day for each state, checked out at the last."""
    root.mkdir(parents=True, exist_ok=True)
    stream = b"".join(_commit(number, state, directory) for number, state in enumerate(states)) + b"done\n"
    for words, stdin in (
        (["init", "--quiet", "--initial-branch=main"], b""),
        (["fast-import", "--quiet", "--done"], stream),
        (["reset", "--quiet", "--hard", f"refs/heads/branch{len(states) - 1}"], b""),
    ):
        subprocess.run(["git", *words], cwd=root, input=stdin, check=True, capture_output=True)


def _commit(number: int, state: State, directory: str) -> bytes:
    """Each commit is a branch of its own: fast-import inherits nothing except the given parents."""
    who = f"Somebody <somebody@example.com> {number * DAY} +0000"
    head = f"commit refs/heads/branch{number}\nmark :{number + 1}\nauthor {who}\ncommitter {who}\n"
    parents = state.parents if state.parents is not None else ((number - 1,) if number else ())
    words = [("from", "merge")[nth > 0] + f" :{parent + 1}\n" for nth, parent in enumerate(parents)]
    files = b"".join(
        f"M 100644 inline {_place(directory, path)}\n".encode() + _data(text) for path, text in state.files.items()
    )
    return head.encode() + _data(state.subject) + "".join(words).encode() + b"deleteall\n" + files


def _place(directory: str, path: str) -> str:
    return path[1:] if path.startswith("/") else f"{directory}/{path}"


def _data(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return b"data %d\n%b\n" % (len(data), data)


def read_states(states: Sequence[State]) -> EntryHistory:
    """The history of `states` as if read from a repository; each blob is its own id."""
    commits = [
        Commit(
            str(number),
            tuple(map(str, state.parents if state.parents is not None else range(number)[-1:])),
            number * DAY,
            "Somebody",
            state.subject,
        )
        for number, state in enumerate(states)
    ]
    changes = {
        Edge(commit.id, parent): _changes(states[int(parent)].files if parent else {}, states[int(commit.id)].files)
        for commit in commits
        for parent in commit.parents or ("",)
    }

    def blobs(ids: object) -> Iterator[tuple[str, bytes | None]]:
        assert isinstance(ids, set)
        yield from ((id, id.encode()) for id in ids)

    reader = ChangeReader(blobs)
    edits = dict(reader.read(changes))
    return EntryHistory(commits[-1].id, False, tuple(reversed(commits)), edits, {}, tuple(reader.skipped))


def _changes(before: Mapping[str, str | bytes], after: Mapping[str, str | bytes]) -> tuple[FileChange, ...]:
    return tuple(
        FileChange(path, _text(before.get(path)), _text(after.get(path)))
        for path in sorted({*before, *after})
        if before.get(path) != after.get(path)
    )


def _text(text: str | bytes | None) -> str | None:
    return text.decode() if isinstance(text, bytes) else text
