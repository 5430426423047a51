# SPDX-License-Identifier: Apache-2.0
"""The issues that entries cite, and what their states suggest."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from core.edits.commit import issues_in
from core.edits.pending import Change
from core.evidence.verdicts import Verdict
from core.issues import IssueState, State, closed_for, expects_no_pass
from core.matrix import Matrix, resolve, supports


@dataclass(frozen=True, slots=True)
class Citation:
    """An issue with the cells whose entries cite it."""

    state: IssueState
    cells: tuple[tuple[str, str], ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(id for id, _ in self.cells))


def citations(
    matrix: Matrix, states: Mapping[str, IssueState], reminders: Iterable[Change] = ()
) -> tuple[Citation, ...]:
    """Every issue that an effective entry cites, the one cited by most entries first, and those that notes wait for."""
    cells: dict[str, list[tuple[str, str]]] = {}
    for id, entry in matrix.entries.items():
        for arch in matrix.schema.archs:
            reason = resolve(entry, "reason", arch).value if supports(entry, arch) else ""
            for issue in issues_in(str(reason or "")):
                cells.setdefault(issue, []).append((id, arch))
    for one in reminders:
        cells.setdefault(one.restore, [])
    found = (Citation(states.get(issue, IssueState(issue)), tuple(where)) for issue, where in cells.items())
    return tuple(sorted(found, key=lambda one: (-len(one.ids), one.state.issue)))


def noted_cells(matrix: Matrix, reminders: Iterable[Change]) -> Mapping[str, Sequence[tuple[str, str]]]:
    """The cells of the entries that are to be as before once an issue is closed, by issue."""
    found: dict[str, dict[tuple[str, str], None]] = {}
    for one in reminders:
        about = [(fact.id, fact.arch) for fact in one.facts]
        for id in dict.fromkeys(op.id for op in one.ops) if not about else ():
            about += [(id, arch) for arch in matrix.schema.archs if supports(matrix.entries.get(id), arch)]
        found.setdefault(one.restore, {}).update(dict.fromkeys(about))
    return {issue: tuple(cells) for issue, cells in found.items()}


class Due(NamedTuple):
    """An entry that was to be as before once an issue is closed, and the issue is."""

    state: IssueState
    id: str
    back: Change
    """The way back."""

    @property
    def words(self) -> str:
        """`tenstorrent/tt-xla#7, closed on 2026-11-20: required_pcc was to be as before then`"""
        fields = dict.fromkeys(op.path[-1] for op in reversed(self.back.ops) if op.path and op.id == self.id)
        what = f"{', '.join(fields)} {'was' if len(fields) == 1 else 'were'}" if fields else "the entry was"
        return f"{self.state.issue}, {self.state.words}: {what} to be as before then"


def due_notes(reminders: Iterable[Change], states: Mapping[str, IssueState]) -> tuple[Due, ...]:
    """The notes whose issue is closed, one for each entry."""
    return tuple(
        Due(state, id, one)
        for one in reminders
        if (state := states.get(one.restore)) is not None and state.state is State.CLOSED
        for id in dict.fromkeys(op.id for op in one.ops)
    )


class Advice(StrEnum):
    """The action that the state of an issue and the results of the tests that cite it suggest."""

    CLOSED = "the issue of these entries is closed"
    """Entries that do not expect a pass cite it, and no other one that is open."""
    CLOSE = "all its tests pass: close it"
    RESTORE = "it is closed: these entries were to be as before then"
    """A person noted it when the entries were changed."""


class IssueAdvice(NamedTuple):
    """Advice about one issue, with its cells."""

    state: IssueState
    advice: Advice
    cells: tuple[tuple[str, str], ...]


def issue_advice(
    matrix: Matrix,
    found: Collection[Citation],
    verdict_of: Callable[[str, str], Verdict | None],
    reminders: Iterable[Change] = (),
) -> tuple[IssueAdvice, ...]:
    """What to do about cited issues; `verdict_of` gives the verdict on a cell by its id and arch, None without results.

    There is no advice on an issue whose state is unknown. `reminders` are notes that entries are to be as before.
    """
    noted = noted_cells(matrix, reminders)
    states = {one.state.issue: one.state for one in found}
    advice: list[IssueAdvice] = []
    for one in found:
        state, cells = one.state, one.cells
        if state.state is State.CLOSED:
            failing = tuple(cell for cell in cells if closed_for(matrix.entries.get(cell[0]), cell[1], states))
            asked = ((Advice.RESTORE, tuple(noted.get(state.issue, ()))), (Advice.CLOSED, failing))
            advice += [IssueAdvice(state, each, about) for each, about in asked if about]
        elif state.state is State.OPEN and cells and all(_passes(matrix, cell, verdict_of(*cell)) for cell in cells):
            advice.append(IssueAdvice(state, Advice.CLOSE, cells))
    return tuple(advice)


def _passes(matrix: Matrix, cell: tuple[str, str], verdict: Verdict | None) -> bool:
    """Whether results prove that the cell passes, whatever its entry expects."""
    id, arch = cell
    if expects_no_pass(matrix.entries.get(id), arch):
        return verdict in (Verdict.STALE, Verdict.SEMI_STALE)
    return verdict in (Verdict.ACTIVE, Verdict.PCC_LOOSE)
