# SPDX-License-Identifier: Apache-2.0
"""Read reports into observations: what paths hold, testcase by testcase, with what could not be read beside it."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import TTMatrixError
from core.evidence.artefacts import Place, place_of
from core.evidence.classify import Setting, observe
from core.evidence.documents import Document, Problem, documents
from core.evidence.observation import Observation
from core.evidence.stand_in import stand_in
from core.runs.junit import Suite, Testcase, parse_suites, telling
from core.runs.plain import clean
from core.sources.schema import Schema

OTHER = "other"
"""The class of testcases that are no model tests."""
STAND_IN = "stand_in"
"""The class of testcases that ttmatrix's own runner ran without a device, where that does not count."""
REPEATED = "repeated"
"""The class of testcases that are about a test of which the same file has a more telling one: a failed teardown."""


@dataclass(frozen=True, slots=True)
class Given:
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
class Report:
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


@dataclass(frozen=True, slots=True)
class Reading:
    """All that was read. Two reports of one digest are one."""

    reports: tuple[Report, ...]
    problems: tuple[Problem, ...]

    @property
    def counts(self) -> Counter[str]:
        """Testcases by ending, with OTHER, STAND_IN and REPEATED; their sum is that of all testcases read."""
        return sum((report.counts for report in self.reports), Counter())

    @property
    def observations(self) -> list[Observation]:
        return [one for report in self.reports for one in report.observations]


def read_reports(paths: Iterable[Path], given: Given = Given(), archs: Sequence[str] = Schema().archs) -> Reading:
    """Every report that `paths` name; what is damaged is a problem and keeps nothing else from being read.

    `archs` are the names that may stand in paths. Raises UsageError for a path that is not there.
    """
    reports: list[Report] = []
    problems: list[Problem] = []
    for one in documents(paths):
        if isinstance(one, Problem):
            problems.append(one)
            continue
        try:
            reports.append(read_report(one, given, archs))
        except TTMatrixError as error:
            problems.append(Problem(one.source, error.detail.removeprefix(f"{one.source}: ")))
    return Reading(tuple(reports), tuple(problems))


def read_report(document: Document, given: Given = Given(), archs: Sequence[str] = Schema().archs) -> Report:
    """One report. Raises TTMatrixError where the document is no whole JUnit file."""
    suites = parse_suites(document.data, document.source)
    place = place_of(document.parts, archs, alone=document.alone)
    counts: Counter[str] = Counter()
    found: list[Observation] = []
    for suite in suites:
        if not given.stand_ins and stand_in(suite.testcases):
            # A CPU proves nothing of a device.
            counts[STAND_IN] += len(suite.testcases)
        else:
            found += _observed(suite, _setting(suite, document, place, given), counts)
    return Report(
        hashlib.sha256(document.data).hexdigest(),
        clean(document.source),
        given.run or clean(place.run),
        place.attempt,
        bool(given.run),
        bool(given.arch),
        tuple(found),
        counts,
    )


def observations(file: Path, given: Given = Given()) -> tuple[Observation, ...]:
    """What the model tests of one JUnit file show. Raises TTMatrixError where it is missing, damaged or none."""
    return read_report(Document(str(file), file.parts, _bytes(file), alone=True), given).observations


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise TTMatrixError(f"Cannot read {file}", error.strerror or str(error)) from error


def _setting(suite: Suite, document: Document, place: Place, given: Given) -> Setting:
    return Setting(
        run=given.run or clean(place.run),
        arch=given.arch or place.arch,
        when=suite.started or 0.0,
        host=clean(suite.host),
        job=clean(place.job),
        source=clean(document.source),
        commit=given.commit,
        models_commit=given.models_commit,
    )


def _observed(suite: Suite, setting: Setting, counts: Counter[str]) -> Iterable[Observation]:
    by_name: dict[tuple[str, str], list[Testcase]] = {}
    for case in suite.testcases:
        by_name.setdefault((case.classname, case.name), []).append(case)
    for cases in by_name.values():
        one = observe(telling(cases), setting)
        counts[OTHER if one is None else one.ending] += 1 if one else len(cases)
        if one is not None:
            counts[REPEATED] += len(cases) - 1
            yield one
