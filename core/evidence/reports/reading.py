# SPDX-License-Identifier: Apache-2.0
"""Read the reports in given paths into observations, with the problems of files that could not be read."""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.base.checked_numbers import MOST_AHEAD
from core.base.files import opened
from core.evidence.observation import Observation
from core.evidence.reports.classify import Maker, Setting, maker_of, model_test, observe, stand_in_of
from core.evidence.reports.documents import Document, PathFacts, Problem, find_documents, path_facts
from core.evidence.reports.op_cases import document_of, is_case, observe_cases
from core.runs import CaseDocument, CutReport, PytestSession, Testcase, UnreadableReport, clean, rank, stream_testcases
from core.sources import Schema

OTHER = "other"
"""The class of testcases that are neither model tests nor op cases."""
STAND_IN = "stand_in"
"""The class of testcases that ttmatrix's own runner ran without a device, if these do not count."""
REPEATED = "repeated"
"""The class of testcases that do not decide about their test, such as a failed teardown."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Facts about the reports that the person gives."""

    arch: str = ""
    """Used if the tags name none."""
    run: str = ""
    """The name of the run that all of them belong to; empty: from their paths."""
    commit: str = ""
    models_commit: str = ""
    stand_ins: bool = False
    """Count reports that were made without a device as if they came from one (set by the policy)."""
    began: float = 0.0
    """When their job began, by the clock of who started it, in seconds since the epoch; 0: not known."""


@dataclass(frozen=True, slots=True)
class JUnitReport:
    """One JUnit file, read."""

    digest: str
    """SHA-256 of its content: the same file is the same report at any path."""
    source: str
    run: str
    attempt: int
    """Attempt of its run; 0 if unknown."""
    given: bool
    """Whether the person gave its run."""
    arch_given: bool
    observations: tuple[Observation, ...]
    counts: Counter[str] = field(hash=False)
    """Number of testcases by ending, with OTHER, STAND_IN and REPEATED; the sum is that of all testcases."""
    by_hand: tuple[Observation, ...] = ()
    """Observations of hand-written tests, whose testcases count as OTHER."""
    cut: str = ""
    """Why the file ends behind these testcases, which are complete; empty: it is whole."""

    @property
    def complete(self) -> bool:
        """Whether no testcase was left out because it ran without a device."""
        return not self.counts[STAND_IN]


@dataclass(frozen=True, slots=True)
class Reading:
    """All reports that were read. Two reports with one digest count as one."""

    reports: tuple[JUnitReport, ...]
    unreadable: tuple[Problem, ...]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Files of which nothing could be read, and files that are not complete."""
        return (
            *self.unreadable,
            *(Problem(report.source, report.cut, partly=True) for report in self.reports if report.cut),
        )

    @property
    def counts(self) -> Counter[str]:
        """Number of testcases by ending, with OTHER, STAND_IN and REPEATED; their sum is that of all testcases read."""
        return sum((report.counts for report in self.reports), Counter())

    @property
    def observations(self) -> list[Observation]:
        return [one for report in self.reports for one in report.observations]


def read_reports(
    paths: Iterable[Path],
    given: ReadOptions = ReadOptions(),
    archs: Sequence[str] = Schema().archs,
    wanted: Callable[[Path], bool] = lambda file: True,
) -> Reading:
    """Read every report in `paths`; a damaged one is recorded as a problem, and the others are still read.

    `archs` are the names that may be in paths; in directories, only files that are `wanted` are read. Raises UsageError
    for a path that is not there.
    """
    reports: list[JUnitReport] = []
    problems: list[Problem] = []
    for one in find_documents(paths, wanted):
        if isinstance(one, Problem):
            problems.append(one)
            continue
        try:
            reports.append(read_report(one, given, archs))
        except UnreadableReport as error:
            problems.append(Problem(one.source, error.problem))
    return Reading(tuple(reports), tuple(problems))


def read_report(
    document: Document, given: ReadOptions = ReadOptions(), archs: Sequence[str] = Schema().archs
) -> JUnitReport:
    """One report; of a truncated file the testcases before its end. Raises UnreadableReport if it is none."""
    place = path_facts(document.parts, archs, alone=document.alone)
    digest = hashlib.sha256()
    sessions: dict[PytestSession, _SessionResults] = {}
    cut = ""
    try:
        for session, case in stream_testcases(_digested(document.chunks(), digest), document.source):
            if session not in sessions:
                sessions[session] = _SessionResults(_setting(session, document, place, given))
            sessions[session].take(case)
    except CutReport as error:
        cut = error.problem
    # A CPU proves nothing about a device.
    counting = [session for session in sessions.values() if given.stand_ins or not stand_in_of(session.makers)]
    counts = sum((session.counts for session in counting), Counter[str]())
    counts[STAND_IN] += sum(session.taken for session in sessions.values()) - counts.total()
    return JUnitReport(
        digest.hexdigest(),
        clean(document.source),
        given.run or clean(place.run),
        place.attempt,
        bool(given.run),
        bool(given.arch),
        tuple(one for session in counting for one in session.observations),
        +counts,
        tuple(one for session in counting for one in session.by_hand),
        cut,
    )


def observations(file: Path, given: ReadOptions = ReadOptions()) -> tuple[Observation, ...]:
    """The results of the model tests in one JUnit file. Raises UnreadableReport if it is missing or damaged."""
    return read_report(Document(str(file), file.parts, lambda: opened(file), alone=True), given).observations


def _digested(chunks: Iterable[bytes], digest: "hashlib._Hash") -> Iterator[bytes]:
    for chunk in chunks:
        digest.update(chunk)
        yield chunk


def _setting(session: PytestSession, document: Document, place: PathFacts, given: ReadOptions) -> Setting:
    return Setting(
        run=given.run or clean(place.run),
        arch=given.arch or place.arch,
        when=_moment(session.started or 0.0, given.began),
        host=clean(session.host),
        job=clean(place.job),
        source=clean(document.source),
        commit=given.commit,
        models_commit=given.models_commit,
    )


def _moment(started: float, began: float) -> float:
    """When a session started: by its own clock, unless that is wrong. Then it is when its job began, or unknown."""
    if began and abs(started - began) > MOST_AHEAD:
        return began
    # As the last moment of all, one from a wrong clock would decide what the last week is.
    return started if started <= time.time() + MOST_AHEAD else 0.0


class _SessionResults:
    """The results of the testcases of one session. Of several testcases of one test, the most telling one counts."""

    def __init__(self, setting: Setting) -> None:
        self.taken = 0
        self.makers: set[Maker] = set()
        self._counts: Counter[str] = Counter()
        self._setting = setting
        self._found: dict[tuple[str, str], tuple[int, Observation]] = {}
        self._by_hand: dict[tuple[str, str], tuple[int, Observation]] = {}
        self._cases: dict[str, CaseDocument] = {}

    @property
    def observations(self) -> Iterable[Observation]:
        return (*(one for _, one in self._found.values()), *observe_cases(self._cases.values(), self._setting))

    @property
    def counts(self) -> Counter[str]:
        """Testcases by ending, with OTHER and REPEATED."""
        return self._counts + Counter(one.ending for one in observe_cases(self._cases.values(), self._setting))

    @property
    def by_hand(self) -> Iterable[Observation]:
        """The results of hand-written tests."""
        return (one for _, one in self._by_hand.values())

    def take(self, case: Testcase) -> None:
        self.taken += 1
        if is_case(case):
            document = document_of(case)
            self._counts[REPEATED] += str(document["id"]) in self._cases
            self._cases.setdefault(str(document["id"]), document)
            return
        self.makers.add(maker_of(case))
        if model_test(case.name) is None:
            self._counts[OTHER] += 1
            self._take_by_hand(case)
            return
        key = case.classname, case.name
        known, weight = self._found.get(key), rank(case)
        if known is not None:
            self._counts[REPEATED] += 1
            if known[0] <= weight:
                return
            self._counts[known[1].ending] -= 1
        seen = observe(case, self._setting)
        assert seen is not None, "its name is that of a model test"
        self._counts[seen.ending] += 1
        self._found[key] = weight, seen

    def _take_by_hand(self, case: Testcase) -> None:
        key, weight = (case.classname, case.name), rank(case)
        known = self._by_hand.get(key)
        if known is None or weight < known[0]:
            seen = observe(case, self._setting)
            if seen is not None:
                self._by_hand[key] = weight, seen
