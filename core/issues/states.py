# SPDX-License-Identifier: Apache-2.0
"""Whether issues are open: cached in a file, which `gh` fills only on request."""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, decoded, plain, read_text
from core.base.processes import CommandRunner, run_command

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


@dataclass(frozen=True)
class _Answer:
    """What gh says of an issue, as it names it."""

    state: str
    title: str
    closedAt: str | None = None


def _asked(issue: str, today: str, root: Path, runner: CommandRunner) -> IssueState:
    repository, _, number = issue.partition("#")
    words: Sequence[str] = ("gh", "issue", "view", number, f"--repo={repository}", "--json", "state,title,closedAt")
    done = runner(list(words), cwd=root, env={"GH_PROMPT_DISABLED": "1"}, timeout=_SECONDS)
    if done.returncode != 0:
        if any(text.lower() in done.stderr.lower() for text in _GONE):
            return IssueState(issue, State.MISSING, asked=today)
        raise TTMatrixError(f"gh cannot read {issue}", done.stderr.strip(), "Check with: gh auth status")
    try:
        answer = decoded(done.stdout, _Answer)
        return IssueState(issue, State(answer.state.lower()), answer.title, (answer.closedAt or "")[:10], today)
    except ValueError as error:
        raise TTMatrixError(f"The answer of gh about {issue} cannot be read", done.stdout[:200]) from error
