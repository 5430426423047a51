# SPDX-License-Identifier: Apache-2.0
"""Commit operations and nothing else: other work, staged or not, even in the same files, is what it was."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from core.edits.git import COMMIT_SECONDS, Blob, Repository
from core.edits.operations import Operation
from core.edits.staging import Base, Texts, read_base, staged_after, stages
from core.errors import TTMatrixError, UsageError
from core.proc import CommandRunner, run_command
from core.sources.checkout import Checkout
from core.sources.schema import Schema

_SCRATCH = "ttmatrix-"


@dataclass(frozen=True, slots=True)
class Draft:
    """One commit to be made."""

    message: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Committed:
    """The commits that were made, oldest first, and what git and its hooks said."""

    revisions: tuple[str, ...]
    output: str = ""
    detached: bool = False
    """Whether they belong to no branch."""


def commit(
    checkout: Checkout, drafts: Sequence[Draft], schema: Schema | None = None, runner: CommandRunner = run_command
) -> Committed:
    """Commit each of `drafts`, all of them or none.

    A commit holds what its operations make of the commit before it, and nothing that only the work tree or the index
    has; the index takes the operations in and keeps its difference otherwise. The work tree is not written. Hooks run
    as they do for any commit. Nothing is ever pushed.

    Raises UsageError for an empty message, and TTMatrixError with git's own words where git refuses (a hook, no
    identity, a merge under way): then the branch is where it was and the index is the very same file.
    """
    if any(not draft.message.strip() for draft in drafts):
        raise UsageError("A commit needs a message", hint="Say what the change does in one line.")
    schema = schema or Schema()
    repository = Repository(checkout.root, runner)
    repository.refuse_unfit()
    directory = checkout.relative(checkout.test_config)
    with _disk_errors_told(), repository.index_locked():
        base = read_base(repository, directory, schema)
        texts = stages(base, [draft.operations for draft in drafts], schema)
        if not drafts or not all(texts):
            empty = [draft.message.split("\n")[0] for draft, changed in zip(drafts, texts, strict=True) if not changed]
            detail = f"The last commit says so already: {', '.join(empty)}" if empty else "There are no operations."
            raise UsageError("There is nothing to commit", detail)
        for file in (file for changed in texts for file in changed if file not in base.indexed):
            raise TTMatrixError(f"{file} is staged for removal", hint=f"git restore --staged {directory}/{file}")
        staged = staged_after(base, [op for draft in drafts for op in draft.operations], schema)
        committer = _Committer(repository, base, directory)
        return committer.commit([draft.message for draft in drafts], texts, staged)


@contextmanager
def _disk_errors_told() -> Iterator[None]:
    """A full or read-only disk is something a person can act on."""
    try:
        yield
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        raise TTMatrixError("The commit cannot be prepared", f"{error.strerror or error}{where}") from error


class _Committer:
    def __init__(self, repository: Repository, base: Base, directory: str) -> None:
        self._repository = repository
        self._base = base
        self._directory = directory

    def commit(self, messages: Sequence[str], texts: Sequence[Texts], staged: Texts) -> Committed:
        final = {file: text for changed in texts for file, text in changed.items()}
        home = self._repository.index.parent
        for left in home.glob(f"{_SCRATCH}*"):
            # While the lock is ours, these are from one of us that was killed.
            shutil.rmtree(left, ignore_errors=True)
        with TemporaryDirectory(prefix=_SCRATCH, dir=home) as name:
            scratch = Path(name)
            # Before the commit, so that whatever stops us leaves at worst something staged, never something undone.
            with self._index_with(scratch, self._blobs({**final, **staged}, self._base.indexed)):
                revisions, output = self._commit_all(scratch, messages, texts)
                self._follow_hooks(scratch, revisions[-1], set(final) - set(staged))
        return Committed(tuple(revisions), output, self._repository.is_detached())

    def _commit_all(self, scratch: Path, messages: Sequence[str], texts: Sequence[Texts]) -> tuple[list[str], str]:
        git = self._repository
        env = {"GIT_INDEX_FILE": str(scratch / "commit")}
        git.git("read-tree", self._base.commit, env=env)
        revisions: list[str] = []
        output: list[str] = []
        try:
            for message, changed in zip(messages, texts, strict=True):
                git.put(scratch / "commit", self._blobs(changed, self._base.blobs))
                words = ("commit", "--quiet", "--cleanup=whitespace", "--file=-")
                done = git.git(*words, stdin=message, env=env, timeout=COMMIT_SECONDS)
                revisions.append(git.head())
                output += filter(None, (done.stdout.strip(), done.stderr.strip()))
        except BaseException:
            self._take_back()
            raise
        return revisions, "\n".join(output)

    def _take_back(self) -> None:
        """Put the branch where it was: what was committed before the failure is in the reflog."""
        now = self._repository.head()
        if now != self._base.commit:
            self._repository.git("update-ref", "-m", "ttmatrix: take back", "HEAD", self._base.commit, now)

    def _follow_hooks(self, scratch: Path, revision: str, files: set[str]) -> None:
        """Have the index agree with the commit where a hook has changed what went into it."""
        committed = self._repository.committed(revision, sorted(f"{self._directory}/{file}" for file in files))
        indexed = self._repository.staged(sorted(committed)) if committed else {}
        changed = {
            path: Blob(blob.mode, committed[path].hash)
            for path, blob in indexed.items()
            if blob.hash != committed[path].hash
        }
        if changed:
            self._replace_index(scratch, changed)

    @contextmanager
    def _index_with(self, scratch: Path, blobs: Mapping[str, Blob]) -> Iterator[None]:
        """An index with `blobs` in it; where the work inside fails, the very file that was there comes back."""
        index, kept = self._repository.index, scratch / "kept"
        present = index.exists()
        if present:
            _keep(index, kept)
        try:
            self._replace_index(scratch, blobs)
            yield
        except BaseException:
            if present:
                kept.replace(index)
            else:
                index.unlink(missing_ok=True)
            raise

    def _replace_index(self, scratch: Path, blobs: Mapping[str, Blob]) -> None:
        index, new = self._repository.index, scratch / "index"
        if index.exists():
            shutil.copy2(index, new)
        self._repository.put(new, blobs)
        # Whether a file in the work tree is another one, git can then tell without reading it.
        self._repository.try_git("update-index", "-q", "--refresh", env={"GIT_INDEX_FILE": str(new)})
        new.replace(index)

    def _blobs(self, texts: Texts, present: Mapping[str, Blob]) -> dict[str, Blob]:
        """The texts as blobs with the mode they have in `present`, by path relative to the root of the checkout."""
        return {
            f"{self._directory}/{file}": Blob(present[file].mode, self._repository.store(text))
            for file, text in texts.items()
        }


def _keep(file: Path, name: Path) -> None:
    """Keep `file` under a second name: the same file with its times, by which git tells what changed since."""
    try:
        os.link(file, name)
    except OSError:
        shutil.copy2(file, name)
