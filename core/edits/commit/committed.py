# SPDX-License-Identifier: Apache-2.0
"""What commits did to the entries: for the text of a pull request after the commit."""

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import dedent

from core.base.errors import TTMatrixError
from core.domain.model import Entry
from core.edits.commit.staging import committed_texts
from core.edits.impact import EntryChange, entry_changes
from core.edits.operations import Operation, OpKind
from core.edits.planning import EditPlan, FileEdit
from core.edits.texts import texts_of
from core.history import entry_edits
from core.sources import Checkout, Git, Schema

_EVIDENCE = "Evidence:"
"""The line that `commit_message` writes above the evidence."""


@dataclass(frozen=True, slots=True)
class CommittedChange:
    """The entries at two commits, `base` and `tip`, both full commit ids; `base` is empty before the first commit."""

    base: str
    tip: str
    plan: EditPlan
    """The difference between the two; its operations are only the renames."""
    entries: Mapping[str, Entry]
    """All entries of `base`, by id."""
    evidence: tuple[str, ...]
    """The lines of evidence in the messages of the commits."""

    @property
    def changes(self) -> list[EntryChange]:
        return entry_changes(self.plan)


def read_committed(
    checkout: Checkout, schema: Schema, base: str, tip: str, texts: Mapping[str, str] | None = None
) -> CommittedChange:
    """The changes of entries from `base`, which is empty before the first commit, to `tip`: ids of commits.

    `texts` are the files where they are not those of `tip`, which is then the commit below them. Raises TTMatrixError
    if git fails.
    """
    git, directory = Git(checkout.root), checkout.relative(checkout.test_config)
    before = committed_texts(git, base, directory, schema) if base else {}
    after = committed_texts(git, tip, directory, schema) if texts is None else texts
    files = tuple(
        FileEdit(name, before.get(name, ""), after.get(name, ""))
        for name in sorted({**before, **after})
        if before.get(name) != after.get(name)
    )
    renames = tuple(
        Operation(OpKind.RENAME, edit.before.id, edit.before.file, to=edit.after.id)
        for edit in entry_edits(before, after)
        if edit.before is not None and edit.after is not None and edit.before.id != edit.after.id
    )
    entries = {entry.id: entry for file in texts_of(before).parsed(schema) for entry in file.entries}
    return CommittedChange(base, tip, EditPlan(files, renames), entries, _evidence(git, base, tip))


def _evidence(git: Git, base: str, tip: str) -> tuple[str, ...]:
    """The lines below "Evidence:" in the messages, inner ones indented."""
    try:
        said = git.text("log", "--reverse", "--format=%B%x00", f"{base}..{tip}" if base else tip, "--")
    except TTMatrixError:
        return ()
    found: list[str] = []
    for message in said.split("\0"):
        _, _, rest = message.partition(f"\n{_EVIDENCE}\n")
        found += dedent(rest.partition("\n\n")[0]).splitlines()
    return tuple(line.rstrip() for line in found if line.strip())
