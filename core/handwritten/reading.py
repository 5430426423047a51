# SPDX-License-Identifier: Apache-2.0
"""The hand-written tests of a checkout, cached until one of their files changes."""

from __future__ import annotations

import os
from array import array
from pathlib import Path
from typing import TYPE_CHECKING

from core.domain.model import Status
from core.matrix import HANDWRITTEN_KIND, LEVELS, Column, FlagColumn, OtherRows, load, store
from core.matrix.cache import Cache, content_cache
from core.sources import handwritten, stamps_of

if TYPE_CHECKING:
    from core.sources.handwritten import Suite
if TYPE_CHECKING:
    from core.sources.handwritten import HandwrittenTest, MarkRecord, Suite


_OTHER = "other"
_SKIP, _XFAIL = "skip", "xfail"
_UNCONDITIONAL = frozenset({"reason", "strict", "raises", "run"})
"""Arguments of a mark that add no condition."""


def tabulated(suite: Suite) -> OtherRows:
    """A row for each test, ordered by id. A repeated id is one row: pytest runs both tests for it."""
    tests = sorted({test.node_id: test for test in suite.tests}.items())
    expected = [expectation(test) for _, test in tests]
    marks = {row: sorted(test.markers) for row, (_, test) in enumerate(tests)}
    return OtherRows(
        kind=HANDWRITTEN_KIND,
        ids=tuple(id for id, _ in tests),
        lines=array("I", [test.line for _, test in tests]),
        status=Column.of([str(status) for status, _ in expected]),
        columns={
            "level": Column.of([test.level or _OTHER for _, test in tests], LEVELS),
            "known": Column.of(["no" if test.unknown else "yes" for _, test in tests], ("yes", "no")),
            "file": Column.of([test.path for _, test in tests]),
            "reason": Column.of([reason for _, reason in expected]),
        },
        flags={"mark": FlagColumn.sparse(len(tests), (), marks)},
    )


def expectation(test: HandwrittenTest) -> tuple[Status, str]:
    """The status that the marks of a test expect, and the reason; a mark with a condition is ignored."""
    for name, status in ((_SKIP, Status.NOT_SUPPORTED_SKIP), (_XFAIL, Status.KNOWN_FAILURE_XFAIL)):
        for mark in test.marks:
            if mark.name == name and _is_unconditional(mark):
                return status, _reason(mark)
    return Status.EXPECTED_PASSING, ""


def _is_unconditional(mark: MarkRecord) -> bool:
    # The first argument of `skip` is its reason, that of `xfail` its condition.
    return all(one in _UNCONDITIONAL or (one == "0" and mark.name == _SKIP) for one in mark.given)


def _reason(mark: MarkRecord) -> str:
    return mark.given.get("reason") or mark.given.get("0") or ""


_ROWS = "handwritten_rows"


def read_tests(cache: Cache) -> Suite:
    """The tests below `ROOTS`. Read from syntax trees, or from the cache if that is valid."""
    file = cache.file("handwritten")
    known = load(file)
    if isinstance(known, handwritten.Suite):
        return known
    root = cache.checkout.root
    before = stamps_of(map(str, _directories(root)))
    with content_cache(cache, "handwritten", root, handwritten.FileTests) as cached:
        found = handwritten.read_suite(cache.checkout, cached)
    files = [root / path for path in found.read]
    above = {directory for path in files for directory in path.parents if root in directory.parents}
    stamps = {**stamps_of(map(str, [*files, *above])), **before}
    store(file, found, stamps)
    store(cache.file(_ROWS), tabulated(found), stamps)
    return found


def cached_rows(cache: Cache) -> OtherRows | None:
    """The rows that were cached with the tests; None if the files have changed since."""
    known = load(cache.file(_ROWS))
    return known if isinstance(known, OtherRows) else None


def read_rows(cache: Cache) -> OtherRows:
    """A row for each hand-written test, cached for `cached_rows`."""
    return tabulated(read_tests(cache))


def _directories(root: Path) -> list[Path]:
    """Directories where tests may be added or removed; their state is taken before they are read."""
    found = [root / below for below in handwritten.ROOTS]
    return [*found, *(Path(where) for below in found for where, _, _ in os.walk(below))]
