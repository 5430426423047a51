# SPDX-License-Identifier: Apache-2.0
"""The hand-written tests of a checkout, cached until one of their files changes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from core.handwritten.tabulation import tabulated
from core.matrix import OtherRows, load, store
from core.matrix.cache import Cache, content_cache
from core.sources import handwritten, stamps_of

if TYPE_CHECKING:
    from core.sources.handwritten import Suite

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
