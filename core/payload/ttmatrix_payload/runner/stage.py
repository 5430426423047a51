# SPDX-License-Identifier: Apache-2.0
"""The file with the stage that a test has reached, which a device's plugin writes too (docs/rules.md 4.5)."""

from __future__ import annotations

import os
from pathlib import Path

FILE = Path("._bringup_stage.txt")
"""In the working directory."""
SWITCH = "ENABLE_BRINGUP_STAGE_LOGGING"
START = "FE_COMPILATION_START"

_STATUSES = {
    START: "FAILED_FE_COMPILATION",
    "TTMLIR_COMPILATION_START": "FAILED_TTMLIR_COMPILATION",
    "RUNTIME_EXECUTION_START": "FAILED_RUNTIME",
}


def write(stage: str = START) -> None:
    """Record that `stage` begins, if the environment asks for it."""
    if os.environ.get(SWITCH) == "1":
        FILE.write_text(stage)


def failed_at() -> str:
    """The bring-up status for a failure at this moment; UNKNOWN if no stage was recorded."""
    try:
        return _STATUSES.get(FILE.read_text().strip(), "UNKNOWN")
    except (OSError, UnicodeDecodeError):
        return "UNKNOWN"


def remove() -> None:
    """Remove the file if we wrote one."""
    if os.environ.get(SWITCH) == "1":
        FILE.unlink(missing_ok=True)
