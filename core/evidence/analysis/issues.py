# SPDX-License-Identifier: Apache-2.0
"""The issues that entries cite, and whether they are open: cached in a file, which `gh` fills only on request."""

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, decoded, plain, read_text
from core.base.processes import CommandRunner, run_command
from core.domain.model import Status
from core.edits.commit import issues_in
from core.edits.pending import Change
from core.evidence.verdicts import Verdict
from core.matrix import Matrix, resolve, status_on, supports

_SECONDS = 30.0
_CLOSED_DAYS = 7
"""Days for which a closed issue is not looked up again: few are reopened."""
_GONE = ("Could not resolve to an issue", "Could not resolve to a Repository")


class State(StrEnum):
    """The state of an issue."""

    OPEN = "open"
    CLOSED = "closed"
    MISSING = "missing"
    """The issue does not exist, or we may not see it."""
    UNKNOWN = "unknown"
    """It has not been looked up yet."""


@dataclass(frozen=True, slots=True)
class IssueState:
    """One issue, as of the last time it was looked up."""

    issue: str
    """`owner/repository#number`."""
    state: State = State.UNKNOWN
    title: str = ""
    closed: str = ""
    """The day it was closed."""
    asked: str = ""
    """The day it was looked up."""

    @property
    def words(self) -> str:
        """`closed on 2026-11-20`, `open on 2026-11-20, not looked up since`, `never looked up`"""
        if self.state is State.CLOSED:
            return f"closed on {self.closed}" if self.closed else "closed"
        return f"{self.state} on {self.asked}, not looked up since" if self.asked else "never looked up"


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
    """Entries that do not expect a pass cite it."""
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
    found: Iterable[Citation],
    verdict_of: Callable[[str, str], Verdict | None],
    reminders: Iterable[Change] = (),
) -> tuple[IssueAdvice, ...]:
    """What to do about cited issues; `verdict_of` gives the verdict on a cell by its id and arch, None without results.

    There is no advice on an issue whose state is unknown. `reminders` are notes that entries are to be as before.
    """
    noted = noted_cells(matrix, reminders)
    advice: list[IssueAdvice] = []
    for one in found:
        state, cells = one.state, one.cells
        if state.state is State.CLOSED:
            failing = tuple(cell for cell in cells if _expects_no_pass(matrix, *cell))
            asked = ((Advice.RESTORE, tuple(noted.get(state.issue, ()))), (Advice.CLOSED, failing))
            advice += [IssueAdvice(state, each, about) for each, about in asked if about]
        elif state.state is State.OPEN and cells and all(_passes(matrix, cell, verdict_of(*cell)) for cell in cells):
            advice.append(IssueAdvice(state, Advice.CLOSE, cells))
    return tuple(advice)


def _expects_no_pass(matrix: Matrix, id: str, arch: str) -> bool:
    return status_on(matrix.entries.get(id), arch) in (Status.KNOWN_FAILURE_XFAIL, Status.NOT_SUPPORTED_SKIP)


def _passes(matrix: Matrix, cell: tuple[str, str], verdict: Verdict | None) -> bool:
    """Whether results prove that the cell passes, whatever its entry expects."""
    if _expects_no_pass(matrix, *cell):
        return verdict in (Verdict.STALE, Verdict.SEMI_STALE)
    return verdict in (Verdict.ACTIVE, Verdict.PCC_LOOSE)


def read_states(file: Path) -> dict[str, IssueState]:
    """The states in `file`, by issue; none if the file is missing or cannot be parsed."""
    try:
        found = decoded(read_text(file), list[IssueState]) if file.exists() else []
    except (TTMatrixError, Malformed):
        # Everything in it can be looked up again.
        return {}
    return {one.issue: one for one in found}


def states_on(states: Mapping[str, IssueState], day: str) -> dict[str, IssueState]:
    """The states as they were at the end of a day, `2026-11-20`: what was closed later was open then."""
    return {
        issue: replace(one, state=State.OPEN, closed="") if one.closed > day else one for issue, one in states.items()
    }


def ask(
    file: Path, issues: Iterable[str], *, root: Path, now: datetime | None = None, runner: CommandRunner = run_command
) -> dict[str, IssueState]:
    """Look `issues` up with `gh` and save their states in `file`.

    An issue is not looked up again on the same day, or within a week if it was closed. Raises TTMatrixError if there is
    no `gh` or it fails; the states until then are saved, so the next call continues after them.
    """
    if shutil.which("gh") is None:
        raise TTMatrixError(
            "gh is not installed", "ttmatrix asks GitHub about issues with it.", "https://cli.github.com"
        )
    known = read_states(file)
    today = (now or datetime.now(UTC)).date()
    try:
        for issue in issues:
            if _is_due(known.get(issue), today):
                known[issue] = _asked(issue, today.isoformat(), root, runner)
    finally:
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(file, json.dumps(plain([*known.values()]), indent=1))
    return known


def _is_due(known: IssueState | None, today: date) -> bool:
    if known is None or known.state is State.UNKNOWN:
        return True
    days = _CLOSED_DAYS if known.state is State.CLOSED else 1
    return known.asked <= (today - timedelta(days=days)).isoformat()


def _asked(issue: str, today: str, root: Path, runner: CommandRunner) -> IssueState:
    repository, _, number = issue.partition("#")
    words: Sequence[str] = ("gh", "issue", "view", number, f"--repo={repository}", "--json", "state,title,closedAt")
    done = runner(list(words), cwd=root, env={"GH_PROMPT_DISABLED": "1"}, timeout=_SECONDS)
    if done.returncode != 0:
        if any(text.lower() in done.stderr.lower() for text in _GONE):
            return IssueState(issue, State.MISSING, asked=today)
        raise TTMatrixError(f"gh cannot read {issue}", done.stderr.strip(), "Check with: gh auth status")
    try:
        answer = json.loads(done.stdout)
        state, closed = State(str(answer["state"]).lower()), str(answer.get("closedAt") or "")[:10]
        return IssueState(issue, state, str(answer["title"]), closed, today)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TTMatrixError(f"The answer of gh about {issue} cannot be read", done.stdout[:200]) from error
