# SPDX-License-Identifier: Apache-2.0
"""Which row of a preset a job of CI is, at the commit that its run tested (docs/rules.md 3.4, 3.6)."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.evidence.ci_runs import JobName
from core.sources.ci import Job, Preset


class PresetRow(NamedTuple):
    """The row that a job is, and which of its copies."""

    row: Job
    group: int | None
    """The copy, from 1; None: its place is not that of the row, so that it is not known."""

    @property
    def words(self) -> str:
        """`model-test-passing.json row 3, group 2 of 4`"""
        row = self.row
        group = f", group {self.group or '?'} of {row.parallel_groups}" if row.parallel_groups > 1 else ""
        return f"{row.file} row {row.index}{group}"


def row_of(parts: JobName, presets: Sequence[Preset]) -> PresetRow | None:
    """The row of a job; None: none of these presets has it, or it is not one of a preset."""
    if not parts.mark:
        return None
    placed = [one for preset in presets for at, one in enumerate(_expanded(preset)) if at == parts.position]
    alike = [one for one in placed if _is(one.row, parts)]
    if not alike:
        # A preset that is filtered for a call has other places.
        rows = dict.fromkeys(row for preset in presets for row in preset.jobs)
        alike = [PresetRow(row, 1 if row.parallel_groups == 1 else None) for row in rows if _is(row, parts)]
    return alike[0] if alike else None


def _expanded(preset: Preset) -> Iterator[PresetRow]:
    """The jobs of a preset in the order of the generated matrix."""
    for row in preset.jobs:
        for group in range(1, row.parallel_groups + 1):
            yield PresetRow(row, group)


def _is(row: Job, parts: JobName) -> bool:
    """Whether a job may be of a row: a shared runner has a name of its own."""
    return (row.name, row.test_mark) == (parts.row, parts.mark) and (row.shared_runners or row.runs_on == parts.runner)
