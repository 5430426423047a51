# SPDX-License-Identifier: Apache-2.0
"""Changes sorted into several commits: by cause, by reason, by issue or by arch."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.processes import CommandRunner, run_command
from core.domain.model import Entry
from core.edits.commit.git import Repository
from core.edits.commit.message import Evidence, cited, commit_message, reasons
from core.edits.commit.staging import read_base
from core.edits.commit.transaction import CommitDraft
from core.edits.impact import EntryChange, entry_changes
from core.edits.operations import Operation, OpKind, is_manifest, manifests_in
from core.edits.planning import EditPlan, Planner
from core.edits.texts import read_manifests, texts_of
from core.matrix import Matrix, differing, supports


class Split(StrEnum):
    """How changes are split into commits."""

    NONE = "none"
    CAUSE = "cause"
    REASON = "reason"
    ISSUE = "issue"
    ARCH = "arch"


@dataclass(frozen=True, slots=True)
class CommitGroup:
    """The content of one commit."""

    key: str
    """What its changes have in common; empty: nothing."""
    changes: tuple[EntryChange, ...]
    operations: tuple[Operation, ...]


def grouped(
    changes: Sequence[EntryChange],
    operations: Sequence[Operation],
    split: Split,
    archs: Sequence[str],
    causes: Mapping[str, str] = {},
) -> list[CommitGroup]:
    """Sort `changes`, with the operations that make them, in the order of the first change of each group.

    All changes of one entry stay together, and so do ids that exchange their names. Operations that change nothing are
    left out.
    """
    home = _homes(operations)
    by_home: dict[str, list[EntryChange]] = {}
    for change in changes:
        by_home.setdefault(home.get(change.id, change.id), []).append(change)
    by_key: dict[str, list[str]] = {}
    for name, members in by_home.items():
        by_key.setdefault(_key(members, split, archs, causes), []).append(name)
    return [
        CommitGroup(
            key,
            tuple(change for name in names for change in by_home[name]),
            tuple(op for op in operations if home[op.id] in names),
        )
        for key, names in by_key.items()
    ]


def _homes(operations: Iterable[Operation]) -> Mapping[str, str]:
    """For each id, one representative of all ids that renames link to it."""
    home: dict[str, str] = {}
    for op in operations:
        one = home.setdefault(op.id, op.id)
        if op.is_entry and op.op is OpKind.RENAME and op.to is not None:
            other = home.setdefault(op.to, op.to)
            home.update({id: one for id, root in home.items() if root == other})
    return home


def _key(changes: Sequence[EntryChange], split: Split, archs: Sequence[str], causes: Mapping[str, str]) -> str:
    match split:
        case Split.CAUSE:
            return next((causes[change.id] for change in changes if change.id in causes), "")
        case Split.REASON:
            found = [reason for change in changes for reason in reasons(change.after) or reasons(change.before)]
            return found[0] if found else ""
        case Split.ISSUE:
            found = [issue for change in changes for issue in cited(change.after) or cited(change.before)]
            return ", ".join(dict.fromkeys(found))
        case Split.ARCH:
            return ", ".join(arch for arch in archs if any(_changes_on(change, arch) for change in changes))
        case Split.NONE:
            return ""


def _changes_on(change: EntryChange, arch: str) -> bool:
    was, now = (one is not None and supports(one, arch) for one in (change.before, change.after))
    return was != now or (was and bool(differing(change.before, change.after, arch)))


@dataclass(frozen=True, slots=True)
class Composition:
    """What can be committed, compared with the last commit."""

    changes: tuple[EntryChange, ...]
    operations: tuple[Operation, ...]
    entries: Mapping[str, Entry]
    """All entries of the last commit, by id."""
    archs: tuple[str, ...]
    evidence: Evidence
    causes: Mapping[str, str]
    """What the changes follow from, by id."""
    plan: EditPlan
    """What they do to the files of the last commit."""

    @property
    def files(self) -> list[str]:
        """The files that change, by the paths that operations use."""
        both = (one for change in self.changes for one in (change.before, change.after) if one is not None)
        return sorted({one.file for one in both})

    def is_written(self, matrix: Matrix) -> bool:
        """Whether the files already have all of it, as after a write without a commit."""
        manifests = read_manifests(matrix.checkout.test_config, filter(is_manifest, self.files))
        files = (*matrix.files, *manifests)
        present = {(entry.file, entry.id): entry.fields for file in files for entry in file.entries}
        after = {(one.after.file, one.after.id): one.after.fields for one in self.changes if one.after is not None}
        before = {(one.before.file, one.before.id) for one in self.changes if one.before is not None}
        gone = present.keys().isdisjoint(before - after.keys())
        return bool(self.changes) and gone and after.items() <= present.items()

    def groups(self, split: Split = Split.NONE) -> list[CommitGroup]:
        """The changes of each commit."""
        return grouped(self.changes, self.operations, split, self.archs, self.causes)

    def drafts(self, split: Split = Split.NONE, message: str = "") -> list[CommitDraft]:
        """The commits; `message` replaces the generated one, with the group's key after its title if they are split."""
        groups = self.groups(split)
        many = len(groups) > 1
        said = (_named(message, group.key if many else "") if message else self.message(group) for group in groups)
        return [CommitDraft(words, group.operations) for words, group in zip(said, groups, strict=True)]

    def message(self, group: CommitGroup) -> str:
        """The commit message of `group`."""
        return commit_message(group.changes, self.entries, key=group.key, evidence=self.evidence)


def compose_commits(
    matrix: Matrix,
    operations: Sequence[Operation],
    *,
    evidence: Evidence | None = None,
    causes: Mapping[str, str] = {},
    planner: Planner | None = None,
    runner: CommandRunner = run_command,
) -> Composition:
    """Work out what `operations` change in the last commit, whether or not they are already in the work tree.

    `causes` are what changes follow from, by id. `planner` may have the plan already, because the files often equal the
    last commit.

    Raises TTMatrixError as `commit` does, and if operations cannot be applied to the last commit.
    """
    checkout, schema = matrix.checkout, matrix.schema
    repository = Repository(checkout.root, runner)
    repository.refuse_unfit()
    base = read_base(repository, checkout.relative(checkout.test_config), schema, operations)
    _refuse_untracked(manifests_in(operations), base.committed, checkout.root)
    texts = texts_of(base.committed, matrix.files)
    planned = (planner or Planner()).plan(texts, operations, schema)
    if planned.rejected:
        (first, *_) = planned.rejected
        raise TTMatrixError(
            "This cannot be committed by itself",
            f"{first.op.id}: {first.why}",
            "It depends on uncommitted changes of the file: commit these first, with git.",
        )
    entries = {entry.id: entry for file in texts.parsed(schema) for entry in file.entries}
    changes = tuple(entry_changes(planned))
    return Composition(changes, tuple(operations), entries, schema.archs, evidence or {}, causes, planned)


def _refuse_untracked(manifests: Iterable[str], committed: Collection[str], root: Path) -> None:
    """Raise TTMatrixError for a manifest that is in the work tree but not in the last commit."""
    for file in manifests:
        if file not in committed and (root / file).is_file():
            raise TTMatrixError(
                f"{file} is not in the last commit",
                "So there is no committed version to compare an edit with.",
                f"Commit the file as it is first: git add {file} && git commit. Or write the edit without a commit.",
            )


def _named(message: str, key: str) -> str:
    first, newline, rest = message.partition("\n")
    return f"{first}: {key}{newline}{rest}" if key else message
