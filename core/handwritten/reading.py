# SPDX-License-Identifier: Apache-2.0
"""The hand-written tests of a checkout, cached until a file that they were read from changes."""

import os
from pathlib import Path

from core.matrix import load, store
from core.matrix.cache import Cache
from core.sources import handwritten, stamps_of
from core.sources.handwritten import Suite


def read_tests(cache: Cache) -> Suite:
    """The tests below `tests/jax` and `tests/torch`. Read from syntax trees, or from the cache where that holds."""
    file = cache.file("handwritten")
    known = load(file)
    if isinstance(known, Suite):
        return known
    root = cache.checkout.root
    before = stamps_of(map(str, _directories(root)))
    found = handwritten.read_suite(cache.checkout)
    files = [root / path for path in found.read]
    above = {directory for path in files for directory in path.parents if root in directory.parents}
    store(file, found, {**stamps_of(map(str, [*files, *above])), **before})
    return found


def _directories(root: Path) -> list[Path]:
    """Where tests may come and go: looked at before they are read."""
    found = [root / below for below in handwritten.ROOTS]
    return [*found, *(Path(where) for below in found for where, _, _ in os.walk(below))]
