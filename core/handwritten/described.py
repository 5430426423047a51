# SPDX-License-Identifier: Apache-2.0
"""All facts about the hand-written tests of a checkout, and one test as lines to print or show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from core.handwritten.reading import read_tests
from core.handwritten.selection import jobs_of
from core.matrix.cache import Cache
from core.sources.ci import Job, read_jobs

if TYPE_CHECKING:
    from core.sources.handwritten import HandwrittenTest, Suite


@dataclass(frozen=True)
class Known:
    """The hand-written tests, and the CI jobs that may select them."""

    suite: Suite
    jobs: Sequence[Job]

    @cached_property
    def by_id(self) -> Mapping[str, HandwrittenTest]:
        """The tests by node id."""
        return {test.node_id: test for test in self.suite.tests}

    def jobs_of(self, id: str) -> Sequence[Job]:
        """The jobs that select a test."""
        return jobs_of(self.jobs, self.by_id[id])


def read_known(cache: Cache) -> Known:
    """Read tests and jobs of a checkout; takes seconds if the tests are not cached."""
    jobs, _ = read_jobs(cache.checkout)
    return Known(read_tests(cache), tuple(jobs))


def test_lines(test: HandwrittenTest) -> list[tuple[str, str]]:
    """The facts about a test, each with its name."""
    found = [
        ("file", f"{test.path}:{test.line}"),
        ("level", test.level),
        *(("parameter", f"{name} = {value}") for name, value in test.parameters.items()),
        *(("marker", _mark_text(mark.name, mark.given)) for mark in test.marks if mark.name != "parametrize"),
        ("not known", test.unknown),
    ]
    return [(name, value) for name, value in found if value]


def _mark_text(name: str, given: Mapping[str, str]) -> str:
    said = ", ".join(f"{key}={value}" for key, value in given.items())
    return f"{name}({said})" if said else name
