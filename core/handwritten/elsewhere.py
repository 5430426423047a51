# SPDX-License-Identifier: Apache-2.0
"""Read hand-written tests in a process of its own: in a thread of ours it would make every key wait."""

import sys
from pathlib import Path

from core.errors import TTMatrixError
from core.handwritten.reading import read_rows
from core.matrix import OtherRows, dumps, loads
from core.matrix.cache import Cache
from core.private import keep_private
from core.proc import run_own
from core.settings import paths
from core.sources import Checkout


def read_rows_elsewhere(cache: Cache) -> OtherRows:
    """As `read_rows`, from another process. Raises TTMatrixError where there can be no such process."""
    found = loads(run_own(__name__, str(cache.checkout.root), str(cache.directory)))
    if not isinstance(found, OtherRows):
        raise TTMatrixError("The hand-written tests cannot be read", "The process that read them gave no answer.")
    return found


def main(root: Path, directory: Path) -> None:
    """Be that process: write the rows to standard output."""
    sys.stdout.buffer.write(dumps(read_rows(Cache(Checkout(root), directory))))


if __name__ == "__main__":
    keep_private(paths())
    main(Path(sys.argv[1]), Path(sys.argv[2]))
