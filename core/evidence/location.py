# SPDX-License-Identifier: Apache-2.0
"""Where the evidence of a checkout is stored, and whether there is new evidence, without reading any."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from core.runs.store import RunRecord
from core.sources import stamp_of


def store_file(directory: Path, root: Path) -> Path:
    """Where below `directory` the evidence of the checkout at `root` is stored."""
    return directory / f"{hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]}.sqlite"


def evidence_stamp(file: Path, records: Iterable[RunRecord]) -> object:
    """What is another as soon as there is more in the store `file`, or one more run on a device has ended."""
    ended = sum(not record.active and bool(record.spec.devices) for record in records)
    return ended, stamp_of(file)
