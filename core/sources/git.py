# SPDX-License-Identifier: Apache-2.0
"""What git knows of one directory of a checkout: commits, the files they change, and what stood in those."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from core.errors import TTMatrixError
from core.proc import BinaryRunner, run_binary

# Nothing is asked, fetched or rewritten, and pathspecs mean what they say.
_ENVIRONMENT = {"GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_SEPARATOR = "\x1f"
_FORMAT = "%ct%x1f%an%x1f%s"
_BLOBS_AT_ONCE = 64
_ABSENT = "0"


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit that touched the directory."""

    id: str
    parents: tuple[str, ...]
    """The nearest ancestors that touched the directory; none: its history begins here."""
    time: int
    """When it was committed, in seconds since the epoch."""
    author: str
    subject: str


class Head(NamedTuple):
    """Where the checkout stands."""

    commit: str
    shallow: bool
    """Whether the clone lacks the older part of its history."""


class Edge(NamedTuple):
    """A commit and one of its parents."""

    commit: str
    parent: str
    """Empty: no parent."""


class FileChange(NamedTuple):
    """What became of one file. Blobs are object ids; None: there was, or is, no such file."""

    path: str
    """Relative to the directory git runs in."""
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Git:
    """Git in one work tree. Only plumbing commands are used: the user's settings for others do not matter.

    Every method raises TTMatrixError with git's own words where git refuses.
    """

    root: Path
    run: BinaryRunner = run_binary

    def head(self) -> Head:
        """The commit that is checked out."""
        shallow, commit = self._text("rev-parse", "--is-shallow-repository", "HEAD").split()
        return Head(commit, shallow == "true")

    def commits(self, head: str, directory: str) -> tuple[Commit, ...]:
        """The commits up to `head` that touched `directory`, children before their parents.

        Of a merge that took the directory as it stood in one parent, only that parent is followed.
        """
        options = ("--topo-order", "--parents", "--encoding=UTF-8", f"--format={_FORMAT}")
        lines = self._text("rev-list", *options, head, "--", f":(literal){directory}").split("\n")
        return tuple(_commit(*pair) for pair in zip(lines[0:-1:2], lines[1::2], strict=True))

    def files(self, commit: str, directory: str) -> dict[str, str]:
        """The blobs of the files below `directory` as of `commit`, by path."""
        listed = self._text("ls-tree", "-r", "-z", commit, "--", f"{directory}/")
        rows = (row.partition("\t") for row in listed.split("\0") if row)
        return {path: facts.split()[2] for facts, _, path in rows}

    def changes(self, edges: Sequence[Edge], directory: str) -> dict[Edge, tuple[FileChange, ...]]:
        """Which files below `directory` differ over each of `edges`; a file that was moved is two changes."""
        found = {edge: _created(self.files(edge.commit, directory)) for edge in edges if not edge.parent}
        inner = [edge for edge in edges if edge.parent]
        options = ("--stdin", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--always", "--relative")
        stdin = "".join(f"{edge.commit} {edge.parent}\n" for edge in inner)
        out = self._text("diff-tree", *options, "--", f":(literal){directory}", stdin=stdin)
        return found | dict(zip(inner, _raw_changes(out), strict=True))

    def blobs(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """The content of blobs, each once and a few at a time; None: the clone does not have it."""
        remaining = iter(dict.fromkeys(ids))
        while some := list(islice(remaining, _BLOBS_AT_ONCE)):
            out = self._run("cat-file", "--batch", "--buffer", stdin="".join(f"{id}\n" for id in some))
            yield from _batch(some, out)

    def _text(self, *words: str, stdin: str = "") -> str:
        return self._run(*words, stdin=stdin).decode("utf-8", "replace")

    def _run(self, *words: str, stdin: str = "") -> bytes:
        done = self.run(["git", *words], cwd=self.root, env=_ENVIRONMENT, stdin=stdin.encode())
        if done.returncode != 0:
            said = done.stderr.strip() or f"git {words[0]} ended with exit status {done.returncode} and said nothing."
            raise TTMatrixError(f"There is no history of {self.root}", said, "It is read from git.")
        return done.stdout


def _commit(line: str, facts: str) -> Commit:
    """From the two lines `rev-list` writes of a commit."""
    _, id, *parents = line.split(" ")
    time, author, subject = facts.split(_SEPARATOR, 2)
    return Commit(id, tuple(parents), int(time), author, subject)


def _created(files: Mapping[str, str]) -> tuple[FileChange, ...]:
    return tuple(FileChange(path, None, blob) for path, blob in files.items())


def _raw_changes(out: str) -> Iterator[tuple[FileChange, ...]]:
    """The changes of each block of git's raw format with `-z`: an object id, then pairs of facts and a path."""
    block: list[FileChange] | None = None
    tokens = iter(out.split("\0"))
    for token in tokens:
        if not token.startswith(":"):
            if block is not None:
                yield tuple(block)
            block = []
            continue
        _, _, before, after, _ = token.split(" ")
        if block is not None:
            block.append(FileChange(next(tokens), _blob(before), _blob(after)))


def _blob(id: str) -> str | None:
    return None if not id.strip(_ABSENT) else id


def _batch(ids: Sequence[str], out: bytes) -> Iterator[tuple[str, bytes | None]]:
    """From the output of `git cat-file --batch`: a line of facts, then as many bytes as it says, then a line end."""
    at = 0
    for id in ids:
        end = out.index(b"\n", at)
        facts = out[at:end].split()
        if len(facts) != 3:
            yield id, None
            at = end + 1
            continue
        size = int(facts[2])
        yield id, out[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
