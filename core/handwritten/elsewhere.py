# SPDX-License-Identifier: Apache-2.0
"""Read hand-written tests in a process of its own."""

from core.handwritten.reading import read_rows
from core.matrix import OtherRows
from core.matrix.cache import Cache, ask_worker, be_worker


def read_rows_elsewhere(cache: Cache) -> OtherRows:
    """As `read_rows`, in another process. Raises TTMatrixError if that process fails."""
    return ask_worker(__name__, cache, OtherRows)


if __name__ == "__main__":
    be_worker(lambda cache, _: read_rows(cache))
