# SPDX-License-Identifier: Apache-2.0
"""The issues that entries cite, and whether they are still open: from a file, which `gh` fills only when asked."""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from core.edits.commit import issues_in
from core.errors import TTMatrixError
from core.files import Malformed, atomic_write, decoded, plain, read_text
from core.matrix import Matrix, resolve, supports
from core.proc import CommandRunner, run_command

_SECONDS = 30.0
_GONE = ("Could not resolve to an issue", "Could not resolve to a Repository")


class State(StrEnum):
    """What is known of an issue."""

    OPEN = "open"
    CLOSED = "closed"
    MISSING = "missing"
    """There is no such issue, or no permission to see it."""
    UNKNOWN = "unknown"
    """Nobody has asked yet."""


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


@dataclass(frozen=True, slots=True)
class Citation:
    """An issue with the cells whose entries cite it."""

    state: IssueState
    cells: tuple[tuple[str, str], ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(id for id, _ in self.cells))


def citations(matrix: Matrix, states: Mapping[str, IssueState]) -> tuple[Citation, ...]:
    """Every issue that an entry cites where it counts, the one cited by most entries first."""
    cells: dict[str, list[tuple[str, str]]] = {}
    for id, entry in matrix.entries.items():
        for arch in matrix.schema.archs:
            reason = resolve(entry, "reason", arch).value if supports(entry, arch) else ""
            for issue in issues_in(str(reason or "")):
                cells.setdefault(issue, []).append((id, arch))
    found = (Citation(states.get(issue, IssueState(issue)), tuple(where)) for issue, where in cells.items())
    return tuple(sorted(found, key=lambda one: (-len(one.ids), one.state.issue)))


def read_states(file: Path) -> dict[str, IssueState]:
    """What `file` knows, by issue; nothing where there is no such file, or it cannot be understood."""
    try:
        found = decoded(read_text(file), list[IssueState]) if file.exists() else []
    except (TTMatrixError, Malformed):
        # Nothing but what can be asked again.
        return {}
    return {one.issue: one for one in found}


def ask(
    file: Path, issues: Iterable[str], *, root: Path, now: datetime | None = None, runner: CommandRunner = run_command
) -> dict[str, IssueState]:
    """Look `issues` up with `gh` and keep what it says in `file`.

    Raises TTMatrixError where there is no `gh`, or it cannot answer; the answers until then are saved.
    """
    if shutil.which("gh") is None:
        raise TTMatrixError(
            "gh is not installed", "ttmatrix asks GitHub about issues with it.", "https://cli.github.com"
        )
    known = read_states(file)
    today = (now or datetime.now(UTC)).date().isoformat()
    try:
        for issue in issues:
            known[issue] = _asked(issue, today, root, runner)
    finally:
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(file, json.dumps(plain([*known.values()]), indent=1))
    return known


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
