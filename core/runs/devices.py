# SPDX-License-Identifier: Apache-2.0
"""The devices of this machine, and which runs of ours have them: one list, wherever the state of ttmatrix is kept."""

import os
import tempfile
from pathlib import Path

from core.runs.claims import Claims


def device_claims() -> Claims:
    """Who has which devices."""
    return Claims(Path(tempfile.gettempdir()) / f"ttmatrix-{os.getuid()}" / "devices.json")
