# SPDX-License-Identifier: Apache-2.0
"""Apply operations to texts of the last commit and of the index: the content of commits, and what stays staged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter

from core.base.errors import TTMatrixError
from core.domain.model import Entry
from core.edits.commit.git import Repository
from core.edits.impact import entry_changes
from core.edits.operations import Operation, is_manifest, manifests_in
from core.edits.places import leads_out
from core.edits.planning import EditPlan, Planner
from core.edits.texts import manifest_file, texts_of
from core.sources import Blob, Git, Schema, written_entries

Texts = Mapping[str, str]
"""Texts of files, by the paths that operations use."""


@dataclass(frozen=True, slots=True)
class CommitBase:
    """The files in the last commit, and in the index where that differs."""

    commit: str
    committed: Texts
    blobs: Mapping[str, Blob]
    """The blobs of `committed`."""
    indexed: Mapping[str, Blob]
    """The blobs of the same files in the index; a missing one is staged for removal."""
    staged: Texts
    """The texts in the index that differ from the commit."""


def read_base(
    repository: Repository, directory: str, schema: Schema, operations: Sequence[Operation] = ()
) -> CommitBase:
    """Read what the commits are based on: all expectation files, and the manifests that `operations` name.

    `directory` is that of test_config, relative to the repository's root. Raises TTMatrixError if the files are in a
    state in which nothing should be committed.
    """
    commit = repository.head()
    named = {path: path.removeprefix(f"{directory}/") for path in _paths(repository.reader, commit, directory, schema)}
    named |= {file: file for file in manifests_in(operations) if not leads_out(file)}
    if not named:
        return CommitBase(commit, {}, {}, {}, {})
    blobs, indexed = repository.committed(commit, list(named)), repository.staged(list(named))
    return CommitBase(
        commit,
        {named[path]: repository.text(path, blob) for path, blob in blobs.items()},
        {named[path]: blob for path, blob in blobs.items()},
        {named[path]: blob for path, blob in indexed.items() if path in blobs},
        {
            named[path]: repository.text(path, blob)
            for path, blob in indexed.items()
            if path in blobs and blob.hash != blobs[path].hash
        },
    )


def committed_texts(git: Git, commit: str, directory: str, schema: Schema) -> Texts:
    """The expectation files as `commit` has them. `directory` is that of test_config, relative to the root."""
    blobs = git.regular(commit, _paths(git, commit, directory, schema))
    return {path.removeprefix(f"{directory}/"): git.blob_text(path, blob) for path, blob in blobs.items()}


def stages(
    base: CommitBase,
    groups: Sequence[Sequence[Operation]],
    schema: Schema,
    planner: Planner,
    order: Sequence[Operation] = (),
) -> list[Texts]:
    """Apply each of `groups` in turn to the committed texts: one commit each, with only the files it changes.

    The last commit gives the same texts as all operations at once, in `order` (else in that of the groups): that is the
    order of entries that several groups add in one place, in each commit. Raises TTMatrixError if an operation
    can only be applied together with uncommitted work.
    """
    current = dict(base.committed)
    so_far: list[Operation] = []
    found: list[Texts] = []
    for group in groups:
        so_far += group
        # Only where entries come and go does the order matter, and starting again takes longer.
        again = any(op.is_entry for op in group)
        texts, some = (base.committed, in_order(so_far, order)) if again else (current, group)
        after = _after(texts, some, schema, planner, "the last commit")
        changed = {file: text for file, text in after.items() if text != current[file]}
        current |= changed
        found.append(changed)
    return found


def in_order(operations: Sequence[Operation], order: Iterable[Operation]) -> list[Operation]:
    """`operations` in this order; those that it lacks come last."""
    places: dict[str, list[int]] = {}
    for at, op in enumerate(order):
        places.setdefault(_words(op), []).append(at)
    # Of operations that are the same, the last one has the last place.
    last = sum(map(len, places.values()))
    placed = [(found.pop() if (found := places.get(_words(op))) else last, op) for op in reversed(operations)]
    return [op for _, op in sorted(reversed(placed), key=itemgetter(0))]


def _words(op: Operation) -> str:
    """What an operation does; it may or may not name its file."""
    return repr(replace(op, file=None))


def staged_after(base: CommitBase, operations: Sequence[Operation], schema: Schema, planner: Planner) -> Texts:
    """Texts for the index that keep other staged work after `operations` are committed: of files with such work.

    If the result of the operations is staged already, the index needs no change.
    """
    if not base.staged:
        return {}
    already = _staged_already(base, planner.plan(texts_of(base.committed), operations, schema))
    rest = [op for op in operations if op.id not in already]
    after = _after({**base.committed, **base.staged}, rest, schema, planner, "what is staged")
    return {file: after[file] for file in base.staged}


def _staged_already(base: CommitBase, planned: EditPlan) -> set[str]:
    """The ids whose entries in the index already equal the result of `planned`."""
    texts = {**base.committed, **base.staged}
    staged = {(entry.file, entry.id): entry.fields for name, text in texts.items() for entry in _entries(text, name)}
    already: set[str] = set()
    for change in entry_changes(planned):
        old, new = change.before, change.after
        there = new is None or staged.get((new.file, new.id)) == new.fields
        moved = old is not None and (new is None or (old.file, old.id) != (new.file, new.id))
        gone = old is None or not moved or (old.file, old.id) not in staged
        if there and gone:
            already |= {change.id, change.was or change.id}
    return already


def _entries(text: str, name: str) -> tuple[Entry, ...]:
    return manifest_file(name, text).entries if is_manifest(name) else written_entries(text, name)


def _after(
    texts: Texts, operations: Sequence[Operation], schema: Schema, planner: Planner, where: str
) -> dict[str, str]:
    planned = planner.plan(texts_of(texts), operations, schema)
    if planned.rejected:
        reasons = [f"{one.op.op} {one.op.id}: {one.why}" for one in planned.rejected]
        raise TTMatrixError(
            f"{len(reasons)} of the operations cannot be done on {where}",
            "\n".join(reasons[:6]),
            "They depend on uncommitted changes of these files: commit those first, with git.",
        )
    return {**texts, **{edit.file: edit.after for edit in planned.files}}


def _paths(git: Git, commit: str, directory: str, schema: Schema) -> list[str]:
    names = [path.removeprefix(f"{directory}/") for path in git.files(commit, directory)]
    return [f"{directory}/{name}" for name in names if _is_expectations(name, schema)]


def _is_expectations(name: str, schema: Schema) -> bool:
    directory, _, base = name.rpartition("/")
    fits = base.startswith("test_config_") and base.endswith(".yaml")
    return directory in schema.config_directories and fits
