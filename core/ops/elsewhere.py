# SPDX-License-Identifier: Apache-2.0
"""Read op manifests in a process of its own: in a thread of ours it would make every key wait for the interpreter."""

import sys
from collections.abc import Sequence
from pathlib import Path

from core.errors import TTMatrixError
from core.matrix import OtherRows, dumps, loads
from core.matrix.cache import Cache
from core.ops.rows import read_op_rows
from core.private import keep_private
from core.proc import run_own
from core.settings import paths
from core.sources import Checkout


def read_elsewhere(cache: Cache, configured: Sequence[str]) -> OtherRows:
    """As `read_op_rows`, from another process. Raises TTMatrixError where there can be no such process."""
    found = loads(run_own(__name__, str(cache.checkout.root), str(cache.directory), *configured))
    if not isinstance(found, OtherRows):
        raise TTMatrixError("The op manifests cannot be read", "The process that read them gave no answer.")
    return found


def main(root: Path, directory: Path, *configured: str) -> None:
    """Be that process: write the rows to standard output."""
    sys.stdout.buffer.write(dumps(read_op_rows(Cache(Checkout(root), directory), configured)))


if __name__ == "__main__":
    keep_private(paths())
    root, directory, *names = sys.argv[1:]
    main(Path(root), Path(directory), *names)
