# SPDX-License-Identifier: Apache-2.0
"""Read a checkout's git data: commits, the files they change, contents of files, and the present differences.

Reading starts no program that the checkout configures. Its `.git/config` and attributes can name programs (a file
system monitor, hooks, filters, diff drivers, a pager, gpg, ssh), and so can those of its submodules: all are turned off
here.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from core.base.checked_numbers import LAST_MOMENT
from core.base.errors import TTMatrixError, UsageError
from core.base.processes import BinaryResult, BinaryRunner, run_binary
from core.sources.advice import fetch_command, fetching, what_else

# No prompts, downloads or rewriting. No protocol is allowed, because a git older than GIT_NO_LAZY_FETCH would start ssh
# for an object that a partial clone lacks.
READING = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_OPTIONAL_LOCKS": "0",
    # Paths are files and directories, never patterns.
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
}
"""The environment of a git that only reads; goes with the options of `reading`."""
_QUIET = (
    "core.fsmonitor=",
    f"core.hooksPath={os.devnull}",
    "core.sshCommand=false",
    "log.showSignature=false",
)
_WORK_TREE_DIFF = ("--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=dirty")
"""Of a submodule only its commit counts. To look for changes inside, git would start another git with the submodule's
own configuration and without the restrictions set here."""
_PATCH_FORM = (
    "--ignore-submodules=all",
    "--full-index",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--diff-algorithm=myers",
    "-U3",
)
"""Options that give the same text for the same edits, regardless of a person's configuration."""
_SEPARATOR = "\x1f"
_FORMAT = "%ct%x1f%an%x1f%s"
_BLOBS_AT_ONCE = 64
_ABSENT = "0"
_BLOB, _COMMIT = "blob", "commit"
_REGULAR = ("100644", "100755")
_SUBMODULE = "160000"
_PARTIAL = "from promisor remote"
"""What git says of an object that a partial clone would have to fetch."""
_MERGED, _OURS = "0", "2"
"""Stages of the index; between the two is the common ancestor of a conflict, behind them the other branch."""


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit that touched the directory."""

    id: str
    parents: tuple[str, ...]
    """The nearest ancestors that touched the directory; empty: its history begins here."""
    time: int
    """Commit time in seconds since the epoch; git itself accepts any number."""
    author: str
    subject: str


class Head(NamedTuple):
    """The commit that is checked out."""

    commit: str
    shallow: bool
    """Whether the clone lacks the older part of its history."""


class Edge(NamedTuple):
    """A commit and one of its parents."""

    commit: str
    parent: str
    """Empty: the commit has no parent."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A file in a commit or in the index."""

    mode: str
    hash: str


class _Listed(NamedTuple):
    """An object that a commit lists under a path."""

    mode: str
    type: str
    id: str


class FileChange(NamedTuple):
    """The change of one file. Blobs are object ids; None: there was, or is, no such file."""

    path: str
    """Relative to the directory git runs in."""
    before: str | None
    after: str | None


def reading(*words: str) -> list[str]:
    """The command line of a git that only reads. Use it with the environment `READING`.

    Commands that read files of the work tree would still start filters (`Git.changed` does not), and a diff with text
    needs `--no-ext-diff --no-textconv`.
    """
    return ["git", "--no-pager", *(word for setting in _QUIET for word in ("-c", setting)), *words]


@dataclass(frozen=True)
class Git:
    """Git in one work tree. It only reads, and starts no program that the checkout configures.

    Every method raises TTMatrixError with git's own message if git fails.
    """

    root: Path
    run: BinaryRunner = run_binary
    environ: Mapping[str, str] = field(default_factory=dict)
    """Added to the environment of every git."""
    seconds: float | None = None
    """The time limit of one git command; None: no limit."""

    def head(self) -> Head:
        """The commit that is checked out. Raises as `head_commit` does."""
        try:
            shallow, commit = self.text("rev-parse", "--is-shallow-repository", "HEAD").split()
        except TTMatrixError:
            # Without a commit, this message is clearer than git's.
            self.head_commit()
            raise
        return Head(commit, shallow == "true")

    def head_commit(self) -> str:
        """The id of the commit that is checked out. Raises TTMatrixError if there is none, or no repository."""
        found = self.attempt("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if found.returncode == 0:
            return found.stdout.decode().strip()
        self.text("rev-parse", "--git-dir")
        raise TTMatrixError(
            "There is no commit yet", f"{self.root} is on a branch without a first commit.", "Make one with git."
        )

    def named(self, revision: str) -> str:
        """The full id of the commit that a person names. Raises UsageError if there is none of that name."""
        found = self.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if found.returncode == 0 and (id := found.stdout.decode().strip()).isalnum():
            return id
        # Without a repository or a commit, the error is about that.
        self.head()
        else_ = what_else(self, revision)
        command = "" if else_ else fetching(self, revision)
        raise UsageError(
            f"No commit is named {revision!r}",
            else_ and f"{else_}.",
            "Give an id, a branch or a tag that `git log` knows, or a range: A..B"
            + (f", or fetch it: {command}" if command else "."),
        )

    def is_shallow(self) -> bool:
        """Whether the clone lacks the older part of its history."""
        return self.text("rev-parse", "--is-shallow-repository").strip() == "true"

    def merge_base(self, one: str, other: str) -> str:
        """The newest commit that two commits have in their history; empty: the clone has none, as a shallow one."""
        found = self.attempt("merge-base", one, other)
        return found.stdout.decode().strip() if found.returncode == 0 else ""

    def upstream(self) -> str:
        """The branch that changes go to, as git names it: `origin/main`; empty if there is none of the usual names."""
        default = self.attempt("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
        found = default.stdout.decode("utf-8", "replace").strip() if default.returncode == 0 else ""
        usual = ("refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master")
        names = self.text("for-each-ref", "--format=%(refname)", *usual).split()
        first = next((name for name in usual if name in names), "")
        return found or first.removeprefix("refs/remotes/").removeprefix("refs/heads/")

    def is_branch(self, revision: str) -> bool:
        """Whether a person names a branch, of this clone or of a remote; `HEAD` and commits are none."""
        found = self.attempt("rev-parse", "--symbolic-full-name", "--verify", "--quiet", "--end-of-options", revision)
        name = found.stdout.decode("utf-8", "replace").strip()
        return revision != "HEAD" and name.startswith(("refs/heads/", "refs/remotes/"))

    def parent(self, commit: str) -> str:
        """The first parent of `commit`; empty if it has none."""
        found = self.attempt("rev-parse", "--verify", "--quiet", f"{commit}^")
        return found.stdout.decode().strip() if found.returncode == 0 else ""

    def commits(self, head: str, directory: str) -> tuple[Commit, ...]:
        """The commits up to `head` that touched `directory`, children before their parents.

        If the directory in a merge equals that of one parent, only that parent is followed.
        """
        options = ("--topo-order", "--parents", "--encoding=UTF-8", f"--format={_FORMAT}")
        lines = self.text("rev-list", *options, head, "--", directory).split("\n")
        return tuple(_commit(*pair) for pair in zip(lines[0:-1:2], lines[1::2], strict=True))

    def files(self, commit: str, directory: str) -> dict[str, str]:
        """The blobs of the files below `directory` as of `commit`, by path."""
        return {path: one.id for path, one in self._listed(commit, f"{directory}/", inside=True).items()}

    def tracked(self, commit: str) -> dict[str, Blob]:
        """Every file below the root in `commit`, links included, by path; submodules are left out."""
        rows = (row.partition("\t") for row in self.text("ls-tree", "-r", "-z", commit).split("\0") if row)
        facts = ((path, _Listed(*words.split())) for words, _, path in rows)
        return {path: Blob(one.mode, one.id) for path, one in facts if one.type == _BLOB}

    def staged(self) -> dict[str, Blob]:
        """As `tracked`, of the index. A file with a conflict is as in the branch that is checked out."""
        found: dict[str, Blob] = {}
        for row in filter(None, self.text("ls-files", "--stage", "-z").split("\0")):
            facts, _, path = row.partition("\t")
            mode, id, stage = facts.split()
            if mode != _SUBMODULE and stage in (_MERGED, _OURS):
                found[path] = Blob(mode, id)
        return found

    def staged_pin(self, submodule: str, *, settled: bool = False) -> str:
        """As `pinned`, of the index. With a conflict, that of the branch that is checked out; if `settled`, none."""
        stages = (_MERGED,) if settled else (_MERGED, _OURS)
        for row in filter(None, self.text("ls-files", "--stage", "-z", "--", submodule).split("\0")):
            mode, id, stage = row.partition("\t")[0].split()
            if mode == _SUBMODULE and stage in stages:
                return id
        return ""

    def tree(self, commit: str) -> str:
        """The id of the whole tree of `commit`: equal for commits with the same files."""
        return self.text("rev-parse", "--verify", f"{commit}^{{tree}}").strip()

    def regular(self, commit: str, paths: Iterable[str]) -> dict[str, Blob]:
        """The blobs of those of `paths` that `commit` has as regular files."""
        listed = self._listed(commit, *paths)
        return {path: Blob(one.mode, one.id) for path, one in listed.items() if one.mode in _REGULAR}

    def holds(self, commit: str, blobs: Mapping[str, str]) -> bool:
        """Whether `commit` has exactly these blobs under these paths."""
        return {path: one.id for path, one in self._listed(commit, *blobs).items()} == dict(blobs)

    def has(self, commit: str) -> bool:
        """Whether the clone has a commit of that name. A name that looks like an option is rejected."""
        if not commit or commit.startswith("-"):
            return False
        return self.attempt("cat-file", "-e", f"{commit}^{{commit}}").returncode == 0

    def changes(self, edges: Sequence[Edge], directory: str) -> dict[Edge, tuple[FileChange, ...]]:
        """The files below `directory` that differ across each of `edges`; a moved file is two changes."""
        found = {edge: _created(self.files(edge.commit, directory)) for edge in edges if not edge.parent}
        inner = [edge for edge in edges if edge.parent]
        options = ("--stdin", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--always", "--relative")
        stdin = "".join(f"{edge.commit} {edge.parent}\n" for edge in inner)
        blocks = list(_raw_changes(self.text("diff-tree", *options, "--", directory, stdin=stdin)))
        if len(blocks) != len(inner):
            raise _incomplete("diff-tree")
        return found | dict(zip(inner, blocks, strict=True))

    def blobs(self, ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """The content of blobs, without repetitions and a few at a time; None: the clone does not have the blob."""
        remaining = iter(dict.fromkeys(ids))
        while some := list(islice(remaining, _BLOBS_AT_ONCE)):
            out = self._output("cat-file", "--batch", "--buffer", stdin="".join(f"{id}\n" for id in some))
            yield from _batch(some, out)

    def sizes(self, ids: Iterable[str]) -> dict[str, int]:
        """The size of each blob in bytes; those that the clone does not have are left out.

        In a partial clone git fails for these: `missing` tells which they are.
        """
        wanted = list(dict.fromkeys(ids))
        lines = self.text("cat-file", "--batch-check", "--buffer", stdin="".join(f"{id}\n" for id in wanted))
        rows = [line.split() for line in lines.splitlines()]
        if len(rows) != len(wanted):
            raise _incomplete("cat-file")
        return {id: int(row[2]) for id, row in zip(wanted, rows, strict=True) if len(row) == 3}

    def missing(self, commit: str) -> frozenset[str]:
        """The objects of the files in `commit` that a partial clone has not fetched."""
        lines = self.text("rev-list", "--objects", "--no-walk", "--missing=print", commit).splitlines()
        return frozenset(line[1:] for line in lines if line.startswith("?"))

    def changed(self, paths: Iterable[str] = (), commit: str = "HEAD") -> frozenset[str]:
        """The tracked files that differ from `commit` now, relative to the root: all, or those in `paths`.

        Paths are files or directories, not patterns. A submodule is included if another commit of it is checked out;
        use its own `Git` for the changes inside. A filtered file (git-lfs) counts as changed if it was touched since
        git last looked, because the filter is not started to find out.
        """
        words = ("diff", "--name-only", "--relative", "-z", *_WORK_TREE_DIFF, commit, "--", *paths)
        return frozenset(filter(None, self.text(*self._no_filters, *words).split("\0")))

    def patch(self) -> bytes:
        """The differences from the commit that is checked out, for `git apply`, without submodules.

        Contents are not converted: filters of the checkout are not started.
        """
        words = ("diff", "--binary", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", *_PATCH_FORM)
        return self._output(*self._no_filters, *words, "HEAD")

    def untracked(self, places: Iterable[str]) -> list[str]:
        """Files below `places` that are neither tracked nor ignored, relative to the root."""
        words = ("ls-files", "--others", "--exclude-standard", "-z", "--", *places)
        return sorted(filter(None, self.text(*words).split("\0")))

    def content(self, path: str, commit: str = "HEAD") -> bytes | None:
        """The bytes of a file below the root in `commit`, not converted; None: there was no such file."""
        return self.contents([path], commit).get(path)

    def contents(self, paths: Iterable[str], commit: str = "HEAD") -> dict[str, bytes | None]:
        """As `content`, of several files; those that `commit` has not are left out. None: the clone lacks the blob."""
        ids = {path: one.id for path, one in self._listed(commit, *paths).items() if one.type == _BLOB}
        found = dict(self.blobs(ids.values()))
        return {path: found[id] for path, id in ids.items()}

    def blob_text(self, path: str, blob: Blob) -> str:
        """The text of a blob of `path`, with line ends unchanged. Raises TTMatrixError if it is not UTF-8."""
        ((_, content),) = self.blobs([blob.hash])
        if content is None:
            raise TTMatrixError(f"git does not have the text of {path}", f"The object {blob.hash} is missing.")
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise TTMatrixError(
                f"{path} is not UTF-8 in git", hint="Save the file as UTF-8 and commit that."
            ) from error

    def own_root(self) -> bool:
        """Whether the root is that of a work tree: for a directory inside one, git would answer for the whole."""
        return self.text("rev-parse", "--show-toplevel").rstrip("\n") == str(self.root.resolve())

    def own_head(self) -> str:
        """The commit that is checked out; empty where the root is not that of a work tree, as in `own_root`."""
        top, _, commit = self.text("rev-parse", "--show-toplevel", "HEAD").strip("\n").rpartition("\n")
        return commit if top == str(self.root.resolve()) else ""

    def pinned(self, submodule: str, commit: str = "HEAD") -> str:
        """The commit of a submodule that `commit` pins; empty if it has no such submodule."""
        found = self._listed(commit, submodule).get(submodule)
        return found.id if found is not None and found.type == _COMMIT else ""

    @cached_property
    def _no_filters(self) -> Sequence[str]:
        """Options that turn off every configured filter."""
        keys = self.text("config", "--list", "--name-only", "-z").split("\0")
        names = {key.rpartition(".")[0] for key in keys if key.startswith("filter.")}
        if bad := sorted(name for name in names if "=" in name):
            raise TTMatrixError(
                f"git cannot look at the files of {self.root}", f"The filter {bad[0]!r} cannot be turned off."
            )
        empty = (f"{name}.{key}" for name in sorted(names) for key in ("clean=", "process=", "required=false"))
        return [word for setting in empty for word in ("-c", setting)]

    def text(self, *words: str, stdin: str = "") -> str:
        """The output of git. `words` are a read-only command for which there is no method here."""
        return self._output(*words, stdin=stdin).decode("utf-8", "replace")

    def attempt(self, *words: str, stdin: str = "") -> BinaryResult:
        """As `text`, whatever the exit status. Raises TTMatrixError if git cannot be started or does not end."""
        env = {**READING, **self.environ}
        return self.run(reading(*words), cwd=self.root, env=env, stdin=stdin.encode(), timeout=self.seconds)

    def _listed(self, commit: str, *paths: str, inside: bool = False) -> dict[str, _Listed]:
        """The objects that `commit` lists under `paths`, or in whole directories; empty if there are none."""
        if not paths:
            return {}
        recursive = ("-r",) if inside else ()
        rows = (row.partition("\t") for row in self.text("ls-tree", *recursive, "-z", commit, "--", *paths).split("\0"))
        return {path: _Listed(*facts.split()) for facts, _, path in rows if path}

    def _output(self, *words: str, stdin: str = "") -> bytes:
        done = self.attempt(*words, stdin=stdin)
        if done.returncode != 0:
            said = done.stderr.strip() or f"git {words[0]} ended with exit status {done.returncode} and said nothing."
            # Of a clone without trees, nothing can be read but commits.
            whole = f"{fetch_command(self)} --refetch --no-filter" if _PARTIAL in said else ""
            raise TTMatrixError(f"git cannot read {self.root}", said, whole and f"The clone is partial: {whole}")
        return done.stdout


def _commit(line: str, facts: str) -> Commit:
    """A commit from the two lines that `rev-list` writes for it."""
    _, id, *parents = line.split(" ")
    time, author, subject = facts.split(_SEPARATOR, 2)
    return Commit(id, tuple(parents), min(int(time), int(LAST_MOMENT)), author, subject)


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
    """The blobs in the output of `git cat-file --batch`: a line of facts, that many bytes, then a line end.

    Raises TTMatrixError if it ends before the last blob does: to git, ids that it cannot read are none at all.
    """
    at = 0
    for id in ids:
        end = out.find(b"\n", at)
        facts = out[at : max(at, end)].split()
        if not facts:
            raise _incomplete("cat-file")
        if len(facts) != 3:
            yield id, None
            at = end + 1
            continue
        begin, at = end + 1, end + 1 + int(facts[2]) + 1
        if len(out) < at:
            raise _incomplete("cat-file")
        yield id, out[begin : at - 1]


def _incomplete(command: str) -> TTMatrixError:
    return TTMatrixError(
        "git's answer is incomplete",
        f"git {command} ended without an error before it had said everything.",
        "Try again. If it stays so, git fsck tells whether the repository is whole.",
    )
