# SPDX-License-Identifier: Apache-2.0
"""Pending changes of a checkout, proposed as on a screen."""

from core.base.settings import paths
from core.edits import Operation, OpKind, Present
from core.edits.pending import Workbench
from core.matrix import index
from core.sources import Checkout


def propose(checkout: Checkout, id: str, field: str, value: str, note: str = "") -> Workbench:
    """Propose one value of an entry, below TTMATRIX_HOME; returns the workbench that did."""
    bench = Workbench(checkout, paths().journal)
    bench.propose([Operation(OpKind.SET, id, None, (field,), value)], note, Present(index(checkout).files))
    return bench
