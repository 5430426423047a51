# SPDX-License-Identifier: Apache-2.0
"""Failures that are expected because of issues, and whether these are closed."""

from collections.abc import Mapping

from core.domain.model import EXPECT_NO_PASS, Entry
from core.edits.commit import issues_in
from core.issues.states import IssueState, State
from core.matrix import resolve, status_on


def expects_no_pass(entry: Entry | None, arch: str) -> bool:
    """Whether an entry is skipped on `arch`, or expected to fail there."""
    return status_on(entry, arch) in EXPECT_NO_PASS


def all_closed(reason: str, states: Mapping[str, IssueState]) -> tuple[IssueState, ...]:
    """The issues that a reason cites, if each of them is known to be closed; else none."""
    found = [states.get(issue, IssueState(issue)) for issue in issues_in(reason)]
    return tuple(found) if all(one.state is State.CLOSED for one in found) else ()


def closed_for(entry: Entry | None, arch: str, states: Mapping[str, IssueState]) -> tuple[IssueState, ...]:
    """The issues because of which an entry expects no pass on `arch`, if each of them is known to be closed."""
    return all_closed(str(resolve(entry, "reason", arch).value or ""), states) if expects_no_pass(entry, arch) else ()
