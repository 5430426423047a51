# SPDX-License-Identifier: Apache-2.0
"""Read reports into observations: what paths hold, testcase by testcase, with what could not be read beside it."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.evidence.observation import Observation
from core.evidence.reports.classify import Maker, Setting, maker_of, model_test, observe, stand_in_of
from core.evidence.reports.documents import Document, PathFacts, Problem, find_documents, path_facts
from core.evidence.reports.op_cases import document_of, is_case, observe_cases
from core.runs import CaseDocument, PytestSession, Testcase, UnreadableReport, clean, rank, stream_testcases
from core.sources import Schema

OTHER = "other"
"""The class of testcases that are neither model tests nor op cases."""
STAND_IN = "stand_in"
"""The class of testcases that ttmatrix's own runner ran without a device, where that does not count."""
REPEATED = "repeated"
"""The class of testcases that are not the deciding one of their test: a failed teardown."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the person who asks says of the reports."""

    arch: str = ""
    """Counts where the tags name none."""
    run: str = ""
    """The name of the run that all of them belong to; empty: as their places say."""
    commit: str = ""
    models_commit: str = ""
    stand_ins: bool = False
    """Reports that were made without a device count as those of one (the policy says so)."""


@dataclass(frozen=True, slots=True)
class JUnitReport:
    """One JUnit file, read."""

    digest: str
    """SHA-256 of its content: the same file is the same report wherever it lies."""
    source: str
    run: str
    attempt: int
    """Of its run; 0 where nothing says so."""
    given: bool
    """The person said what run it belongs to."""
    arch_given: bool
    observations: tuple[Observation, ...]
    counts: Counter[str] = field(hash=False)
    """Its testcases by ending, with OTHER, STAND_IN and REPEATED; they add up."""
    by_hand: tuple[Observation, ...] = ()
    """Of testcases that count as OTHER those that are hand-written tests."""


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read. Two reports of one digest are one."""

    reports: tuple[JUnitReport, ...]
    problems: tuple[Problem, ...]

    @property
    def counts(self) -> Counter[str]:
        """Testcases by ending, with OTHER, STAND_IN and REPEATED; their sum is that of all testcases read."""
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
    """Every report that `paths` name; what is damaged is a problem and keeps nothing else from being read.

    `archs` are the names that may be in paths; of directories those files are read that are `wanted`. Raises UsageError
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
    """One report. Raises UnreadableReport where the document is no whole JUnit file."""
    place = path_facts(document.parts, archs, alone=document.alone)
    digest = hashlib.sha256()
    sessions: dict[PytestSession, _SessionResults] = {}
    for session, case in stream_testcases(_digested(document.chunks(), digest), document.source):
        if session not in sessions:
            sessions[session] = _SessionResults(_setting(session, document, place, given))
        sessions[session].take(case)
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
    )


def observations(file: Path, given: ReadOptions = ReadOptions()) -> tuple[Observation, ...]:
    """What the model tests of one JUnit file show. Raises UnreadableReport where it is missing, damaged or none."""
    return read_report(Document(str(file), file.parts, lambda: file.open("rb"), alone=True), given).observations


def _digested(chunks: Iterable[bytes], digest: "hashlib._Hash") -> Iterator[bytes]:
    for chunk in chunks:
        digest.update(chunk)
        yield chunk


def _setting(session: PytestSession, document: Document, place: PathFacts, given: ReadOptions) -> Setting:
    return Setting(
        run=given.run or clean(place.run),
        arch=given.arch or place.arch,
        when=session.started or 0.0,
        host=clean(session.host),
        job=clean(place.job),
        source=clean(document.source),
        commit=given.commit,
        models_commit=given.models_commit,
    )


class _SessionResults:
    """What the testcases of one session say, one by one. Of those about one test the most telling counts."""

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
        """What hand-written tests show."""
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
