# SPDX-License-Identifier: Apache-2.0
"""Commit operations and nothing else: other work, staged or not, even in the same files, is left unchanged."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType

from core.base.errors import TTMatrixError, UsageError
from core.base.files import Stamp, atomic_write, stamp
from core.base.processes import run_command
from core.edits.commit.git import ACTION, COMMIT_SECONDS, Repository
from core.edits.commit.staging import CommitBase, Texts, in_order, read_base, staged_after, stages
from core.edits.commit.validator import Validation, refuse_complaint, validate
from core.edits.operations import Operation
from core.edits.places import in_checkout
from core.edits.planning import EditPlan, Planner, written
from core.edits.scratch import Scratch, clear, scratch
from core.sources import Blob, Checkout, Schema

_RESERVE = 1 << 16
"""Bytes of disk space reserved until the commits are made: enough to undo them."""
_MARGIN = 1 << 17
"""Bytes that commits take beside the texts and the index: trees and the reflog."""
_INDICES = 4
"""How many copies of the index there are at the same time."""


@dataclass(frozen=True, slots=True)
class CommitDraft:
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
    checkout: Checkout,
    drafts: Sequence[CommitDraft],
    schema: Schema | None = None,
    environ: Mapping[str, str] = MappingProxyType({}),
) -> Committed:
    """Commit each of `drafts`, all of them or none.

    A commit is the one before it with its operations applied, and has nothing that only the work tree or the index has.
    The operations are also applied to the index, which keeps its other differences. The work tree is not written. Hooks
    run as for any commit. Nothing is ever pushed. `environ` is added to the environment of git.

    Raises UsageError for an empty message, and TTMatrixError with git's own message if git fails (a hook, no identity,
    a merge under way, a full disk): then the branch is unchanged and the index is the same file as before.
    """
    with committing(checkout, environ) as committer:
        return committer.commit(drafts, schema or Schema())


@contextmanager
def committing(checkout: Checkout, environ: Mapping[str, str] = MappingProxyType({})) -> "Iterator[Committer]":
    """Prepare to commit: until the block ends, no other git changes the index or the files.

    Raises as `commit`.
    """
    repository = Repository(checkout.root, environ=environ)
    index = repository.index
    clear(index.parent)
    with _disk_errors_reported(), scratch(index.parent, repository.head()) as place, place.lock(index):
        # A git that outlives us still holds the lock on the mark of the scratch directory.
        inheriting = Repository(checkout.root, partial(run_command, pass_fds=(place.descriptor,)), environ)
        inheriting.refuse_unfit()
        yield Committer(inheriting, checkout.relative(checkout.test_config), place)


def _texts(
    base: CommitBase,
    drafts: Sequence[CommitDraft],
    schema: Schema,
    directory: str,
    planner: Planner,
    order: Sequence[Operation],
) -> list[Texts]:
    """The changed texts of each commit. Raises UsageError if a commit changes nothing."""
    texts = stages(base, [draft.operations for draft in drafts], schema, planner, order)
    if not drafts or not all(texts):
        empty = [draft.message.split("\n")[0] for draft, changed in zip(drafts, texts, strict=True) if not changed]
        detail = f"The last commit has it already: {', '.join(empty)}" if empty else "There are no operations."
        raise UsageError("There is nothing to commit", detail)
    for file in (file for changed in texts for file in changed if file not in base.indexed):
        path = in_checkout(file, f"{directory}/")
        raise TTMatrixError(f"{file} is staged for removal", hint=f"git restore --staged {path}")
    return texts


@contextmanager
def _disk_errors_reported() -> Iterator[None]:
    """Turn errors of a full or read-only disk into TTMatrixError."""
    try:
        yield
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        raise TTMatrixError("The commit cannot be prepared", f"{error.strerror or error}{where}") from error


class Committer:
    """Makes commits in a process that has locked the index."""

    def __init__(self, repository: Repository, directory: str, place: Scratch) -> None:
        """`directory` is that of test_config, relative to the root of the checkout."""
        self.place = place
        self._repository = repository
        self._directory = directory
        self._placed: Stamp | None = None
        """The stamp of the index that was put in place of the previous one."""

    def commit(
        self,
        drafts: Sequence[CommitDraft],
        schema: Schema,
        planner: Planner | None = None,
        order: Sequence[Operation] = (),
    ) -> Committed:
        """Commit, as the function of this name. Call it only once. `planner` may have the plan already.

        `order` is the one in which the operations are applied to the work tree: the last commit has the same texts.
        """
        planner = planner or Planner()
        if any(not draft.message.strip() for draft in drafts):
            raise UsageError("A commit needs a message", hint="Say what the change does in one line.")
        base = read_base(self._repository, self._directory, schema, [op for draft in drafts for op in draft.operations])
        texts = _texts(base, drafts, schema, self._directory, planner, order)
        operations = in_order([op for draft in drafts for op in draft.operations], order)
        staged = staged_after(base, operations, schema, planner)
        final = {file: text for changed in texts for file, text in changed.items()}
        detached = self._repository.is_detached()
        self._reserve([text for changed in (*texts, staged) for text in changed.values()])
        made = _Made(base)
        # Before the commit: if we are killed, the worst that remains is something staged, never a staged undo of the
        # commit.
        with self._index_with(self._blobs({**final, **staged}, base.indexed)), self._taken_back(made):
            self._commit_all([draft.message for draft in drafts], texts, made)
            self._follow_hooks(made.revisions[-1], set(final) - set(staged))
        return Committed(tuple(made.revisions), "\n".join(made.output), detached)

    def _reserve(self, texts: Sequence[str]) -> None:
        """Raise TTMatrixError, before any change, if the disk may be too full; reserve some space for undoing."""
        index = self._repository.index
        wanted = sum(len(text.encode()) for text in texts) + _MARGIN
        wanted += _INDICES * (index.stat().st_size if index.exists() else 0)
        with self._reserved.open("wb") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, wanted)
            except OSError as error:
                detail = f"{error.strerror}: {wanted >> 10} KiB may be needed in {index.parent}."
                raise TTMatrixError(
                    "Not enough disk space for a commit", detail, "Free some space, and try again."
                ) from error
            file.truncate(_RESERVE)

    @property
    def _reserved(self) -> Path:
        return self.place.path / "reserve"

    def _commit_all(self, messages: Sequence[str], texts: Sequence[Texts], made: "_Made") -> None:
        git, base, scratch = self._repository, made.base, self.place.path
        env = {"GIT_INDEX_FILE": str(scratch / "commit"), **git.own_author()}
        git.git("read-tree", base.commit, env=env)
        for message, changed in zip(messages, texts, strict=True):
            git.put(scratch / "commit", self._blobs(changed, base.blobs))
            # A complete file before git starts: git goes on if we are killed, and would commit half a message from a
            # pipe.
            atomic_write(scratch / "message", message)
            words = ("commit", "--quiet", "--cleanup=whitespace", f"--file={scratch / 'message'}")
            done = git.git(*words, env={**env, "GIT_REFLOG_ACTION": ACTION}, timeout=COMMIT_SECONDS)
            made.output += filter(None, (done.stdout.strip(), done.stderr.strip()))
            if not git.is_ours_alone(made.last):
                detail = "Somebody else moved it during this commit."
                raise TTMatrixError("The branch has moved since you started", detail, "Try again.")
            made.revisions.append(git.head())

    @contextmanager
    def _taken_back(self, made: "_Made") -> Iterator[None]:
        """If the work inside fails, put the branch back to where it was before our commits; the reflog keeps them."""
        try:
            yield
        except BaseException as failure:
            self._reserved.unlink(missing_ok=True)
            try:
                self._take_back(made)
            except TTMatrixError as stuck:
                if not isinstance(failure, TTMatrixError):
                    raise
                back = f"git reset --soft {made.base.commit}"
                failure.hint = (
                    f"{failure.hint}\nThe commits that were made are still there, {stuck.detail}: {back}".strip()
                )
            raise

    def _take_back(self, made: "_Made") -> None:
        git = self._repository
        now = target = git.head()
        ours = {*made.revisions, *git.made_since(made.base.commit)}
        while target in ours:
            target = git.parent(target)
        if target != now:
            git.git("update-ref", "-m", "ttmatrix: take back", "HEAD", target, now)

    def _follow_hooks(self, revision: str, files: set[str]) -> None:
        """Make the index agree with the commit if a hook has changed the committed texts."""
        committed = self._repository.committed(revision, sorted(map(self._path, files)))
        indexed = self._repository.staged(sorted(committed)) if committed else {}
        changed = {
            path: Blob(blob.mode, committed[path].hash)
            for path, blob in indexed.items()
            if blob.hash != committed[path].hash
        }
        if changed:
            self._replace_index(changed)

    @contextmanager
    def _index_with(self, blobs: Mapping[str, Blob]) -> Iterator[None]:
        """Use an index with `blobs` in it; if the work inside fails, the previous file is restored."""
        index, saved = self._repository.index, self.place.path / "index.before"
        present = index.exists()
        if present:
            _save_copy(index, saved)
        try:
            self._replace_index(blobs)
            yield
        except BaseException as failure:
            if self._placed is not None and (why := self._put_index_back(saved if present else None)):
                if not isinstance(failure, TTMatrixError):
                    raise TTMatrixError("The index could not be restored", why) from failure
                failure.hint = f"{failure.hint}\n{why}".strip()
            raise

    def _put_index_back(self, saved: Path | None) -> str:
        index = self._repository.index
        try:
            if stamp(index) != self._placed:
                return f"{index} was changed by somebody else since: what was staged for the commit is still staged."
            if saved is None:
                index.unlink()
            else:
                saved.replace(index)
        except OSError as error:
            return f"{index} could not be put back: {error.strerror or error}"
        return ""

    def _replace_index(self, blobs: Mapping[str, Blob]) -> None:
        index, new = self._repository.index, self.place.path / "index"
        if index.exists():
            shutil.copy2(index, new)
        self._repository.put(new, blobs)
        # With fresh stamps in the index, git can tell whether a file differs without reading it.
        self._repository.try_git("update-index", "-q", "--refresh", env={"GIT_INDEX_FILE": str(new)})
        if not self.place.holds(index):
            detail = f"{index}.lock is no longer ours: somebody removed it, and another git may be running."
            raise TTMatrixError("The index is no longer locked", detail, "Try again.")
        placed = stamp(new)
        new.replace(index)
        self._placed = placed

    def _path(self, file: str) -> str:
        """Relative to the root of the checkout."""
        return in_checkout(file, f"{self._directory}/")

    def _blobs(self, texts: Texts, present: Mapping[str, Blob]) -> dict[str, Blob]:
        """The texts as blobs with the mode they have in `present`, by path relative to the root of the checkout."""
        return {
            self._path(file): Blob(present[file].mode, self._repository.store(text)) for file, text in texts.items()
        }


@dataclass(slots=True)
class _Made:
    """The commits made so far."""

    base: CommitBase
    revisions: list[str] = field(default_factory=list)
    output: list[str] = field(default_factory=list)
    """The output of git and its hooks."""

    @property
    def last(self) -> str:
        return self.revisions[-1] if self.revisions else self.base.commit


def _save_copy(file: Path, name: Path) -> None:
    """Keep `file` under a second name: as the same file, with the times by which git detects changes."""
    try:
        os.link(file, name)
    except OSError:
        shutil.copy2(file, name)


@dataclass(frozen=True, slots=True)
class Delivered:
    """What was done; `validation` is None if none was requested."""

    committed: Committed
    validation: Validation | None


def deliver(
    checkout: Checkout,
    plan: EditPlan,
    drafts: Sequence[CommitDraft],
    schema: Schema | None = None,
    *,
    verify: bool = True,
    python: str = "",
    planner: Planner | None = None,
) -> Delivered:
    """Write `plan` and commit `drafts`, unless the checkout's validator rejects the written files.

    No other git changes the index or touches the files meanwhile. On any error, files, branch and index are restored
    (see `commit`). `python` runs the validator; empty: see `validate`. Without `verify` it is not run. `planner` is the
    one that made `plan`.
    """
    with committing(checkout) as committer, written(plan, checkout.test_config, committer.place.path):
        # The validator only reads expectation files.
        expectations = not all(op.is_case for draft in drafts for op in draft.operations)
        validation = validate(checkout, python) if verify and expectations else None
        if validation is not None:
            refuse_complaint(validation)
        return Delivered(committer.commit(drafts, schema or Schema(), planner, plan.applied), validation)
