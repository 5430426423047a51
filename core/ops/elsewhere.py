# SPDX-License-Identifier: Apache-2.0
"""Read op manifests in a separate process."""

from collections.abc import Sequence

from core.matrix import OtherRows
from core.matrix.cache import Cache, ask_worker, be_worker
from core.ops.rows import read_op_rows


def read_elsewhere(cache: Cache, configured: Sequence[str]) -> OtherRows:
    """Like `read_op_rows`, from another process. Raises TTMatrixError if no process can be started."""
    return ask_worker(__name__, cache, OtherRows, *configured)


if __name__ == "__main__":
    be_worker(read_op_rows)
