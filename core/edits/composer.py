# SPDX-License-Identifier: Apache-2.0
"""From operations to the commits that will hold them: what each changes, and what it says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.edits.changes import EntryChange, entry_changes
from core.edits.commit import Draft
from core.edits.git import Repository
from core.edits.groups import Group, Split, grouped
from core.edits.message import Evidence, commit_message
from core.edits.operations import Operation
from core.edits.staging import plan_on, read_base
from core.errors import TTMatrixError
from core.matrix.matrix import Matrix
from core.model import Entry
from core.proc import CommandRunner, run_command
from core.sources.expectations import parse_expectations


@dataclass(frozen=True, slots=True)
class Composition:
    """What can be committed, seen from the last commit."""

    changes: tuple[EntryChange, ...]
    operations: tuple[Operation, ...]
    entries: Mapping[str, Entry]
    """All entries of the last commit, by id."""
    archs: tuple[str, ...]
    evidence: Evidence

    @property
    def files(self) -> list[str]:
        """The files that change, relative to the test_config directory."""
        both = (one for change in self.changes for one in (change.before, change.after) if one is not None)
        return sorted({one.file for one in both})

    def is_written(self, matrix: Matrix) -> bool:
        """Whether the files say all of it by now, as after a write that no commit followed."""
        present = {(entry.file, entry.id): entry.fields for file in matrix.files for entry in file.entries}
        after = {(one.after.file, one.after.id): one.after.fields for one in self.changes if one.after is not None}
        before = {(one.before.file, one.before.id) for one in self.changes if one.before is not None}
        gone = present.keys().isdisjoint(before - after.keys())
        return bool(self.changes) and gone and after.items() <= present.items()

    def groups(self, split: Split = Split.NONE) -> list[Group]:
        """The changes of each commit."""
        return grouped(self.changes, self.operations, split, self.archs)

    def drafts(self, split: Split = Split.NONE, message: str = "") -> list[Draft]:
        """The commits; `message` takes the place of what would be said, with the key behind its title where split."""
        groups = self.groups(split)
        many = len(groups) > 1
        said = (_named(message, group.key if many else "") if message else self.message(group) for group in groups)
        return [Draft(words, group.operations) for words, group in zip(said, groups, strict=True)]

    def message(self, group: Group) -> str:
        """What the commit of `group` says."""
        return commit_message(group.changes, self.entries, key=group.key, evidence=self.evidence)


def compose_commits(
    matrix: Matrix,
    operations: Sequence[Operation],
    *,
    evidence: Evidence | None = None,
    runner: CommandRunner = run_command,
) -> Composition:
    """Look at what `operations` change in the last commit, whether or not the work tree has them by now.

    Raises TTMatrixError as `commit` does, and where operations cannot be done on the last commit.
    """
    checkout, schema = matrix.checkout, matrix.schema
    repository = Repository(checkout.root, runner)
    repository.refuse_unfit()
    base = read_base(repository, checkout.relative(checkout.test_config), schema)
    planned = plan_on(base.committed, operations, schema)
    if planned.rejected:
        (first, *_) = planned.rejected
        raise TTMatrixError(
            "This cannot be committed by itself",
            f"{first.op.id}: {first.why}",
            "It rests on changes of the file that are not committed: commit these first, with git.",
        )
    entries = {
        entry.id: entry for name, text in base.committed.items() for entry in parse_expectations(text, name).entries
    }
    changes = tuple(entry_changes(planned))
    return Composition(changes, tuple(operations), entries, schema.archs, evidence or {})


def _named(message: str, key: str) -> str:
    first, newline, rest = message.partition("\n")
    return f"{first}: {key}{newline}{rest}" if key else message
