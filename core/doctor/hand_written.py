# SPDX-License-Identifier: Apache-2.0
"""Findings about hand-written tests: what was found while they were read, and those that no scheduled job selects."""

from collections.abc import Iterator

from core.doctor.check import Check
from core.doctor.reading import NO_JOB
from core.domain.model import Finding
from core.handwritten import jobs_by_id, read_tests
from core.matrix.cache import Cache
from core.sources.ci import read_jobs, scheduled
from core.sources.handwritten import HandwrittenTest

LOST_TEST = Check("lost-test", "a hand-written test that pytest never runs, without a word")

_SCHEDULES = ("push", "nightly", "weekly")
"""Markers with which people ask for runs (docs/rules.md 3.3)."""


def test_findings(cache: Cache) -> Iterator[Finding]:
    """What is wrong in files of hand-written tests, and which tests wait for a job in vain."""
    suite = read_tests(cache)
    yield from suite.findings
    jobs = list(scheduled(read_jobs(cache.checkout)[0]))
    selected = jobs_by_id(jobs, suite.tests) if jobs else {}
    functions: dict[tuple[str, tuple[str, ...], str], list[HandwrittenTest]] = {}
    for test in suite.tests:
        functions.setdefault((test.path, test.classes, test.name), []).append(test)
    for tests in functions.values():
        asked = [name for name in _SCHEDULES if any(name in test.markers for test in tests)]
        skipped = any(test.unknown for test in tests) or all("skip" in test.markers for test in tests)
        if jobs and asked and not skipped and not any(selected.get(test.node_id) for test in tests):
            yield _unselected(tests[0], asked)


def _unselected(test: HandwrittenTest, asked: list[str]) -> Finding:
    others = ", ".join(sorted(test.markers - {"parametrize", *asked})) or "none"
    message = (
        f"No scheduled CI job selects {test.name}, though it is marked {' and '.join(asked)}."
        f" Its other markers: {others}"
    )
    return Finding(NO_JOB.kind, message, test.path, test.line)
