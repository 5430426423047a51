# SPDX-License-Identifier: Apache-2.0
"""Failures that are still expected though the issue that explains them is closed, as far as that is known."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from core.doctor.check import OVERRIDES, Check, Path, written
from core.domain.model import Finding, Provenance, Status
from core.edits.commit import issues_in
from core.handwritten import read_tests
from core.issues import IssueState, all_closed, expects_no_pass
from core.matrix import Matrix, resolve, status_on, supports
from core.matrix.cache import Cache
from core.sources.handwritten import HandwrittenTest

CLOSED_ISSUE = Check("closed-issue", "a test that is expected to fail because of an issue that is closed")
_MARKS = {"xfail": "expected to fail", "skip": "skipped"}


class Blame(NamedTuple):
    """A place that says why tests are expected to fail, with a finding that holds if its issues are closed."""

    reason: str
    finding: Finding

    @property
    def issues(self) -> list[str]:
        """The issues that the reason cites."""
        return issues_in(self.reason)


def blames(cache: Cache, matrix: Matrix) -> tuple[Blame, ...]:
    """All places that expect a failure because of issues, whatever is known of these."""
    return (*_of_entries(matrix), *_of_tests(read_tests(cache).tests))


def closed_issue_findings(found: Iterable[Blame], states: Mapping[str, IssueState]) -> Iterator[Finding]:
    """A finding where each issue of a reason was closed when it was last looked up."""
    for one in found:
        if closed := all_closed(one.reason, states):
            when = " and ".join(f"{state.issue}, {state.words} (looked up on {state.asked})" for state in closed)
            yield one.finding._replace(message=f"{one.finding.message} because of {when}. {_THEN}")


_THEN = "Run it: if it passes, promote it; else say what it fails for now"


def _of_entries(matrix: Matrix) -> Iterator[Blame]:
    for one in written(matrix):
        places: dict[tuple[Path, Status], list[str]] = {}
        for arch in matrix.schema.archs:
            if supports(one.entry, arch) and expects_no_pass(one.entry, arch):
                own = resolve(one.entry, "reason", arch).provenance is Provenance.OVERRIDE
                at: Path = (OVERRIDES, arch, "reason") if own else ("reason",)
                places.setdefault((at, status_on(one.entry, arch)), []).append(arch)
        for (at, status), archs in places.items():
            reason = str(resolve(one.entry, "reason", archs[0]).value or "")
            if issues_in(reason):
                what = "Skipped" if status is Status.NOT_SUPPORTED_SKIP else "Expected to fail"
                message = f"{what} on {', '.join(archs)}"
                yield Blame(reason, one.finding(CLOSED_ISSUE.kind, message, at))


def _of_tests(tests: Iterable[HandwrittenTest]) -> Iterator[Blame]:
    told: dict[tuple[str, int, str], None] = {}
    for test in tests:
        for mark in test.marks:
            reason = mark.given.get("reason", mark.given.get("0", ""))
            if mark.name in _MARKS and issues_in(reason) and (at := (test.path, test.line, reason)) not in told:
                told[at] = None
                finding = Finding(CLOSED_ISSUE.kind, f"{test.name} is {_MARKS[mark.name]}", test.path, test.line)
                yield Blame(reason, finding)
