# SPDX-License-Identifier: Apache-2.0
"""Where in the checkout a failure came from, as data for whoever looks for the cause in the source."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

MAX_FRAMES = 50


def frames(error: BaseException, checkout: Path) -> list[dict[str, Any]]:
    """The lines of the checkout's own files that `error` passed through, the one that raised last."""
    found = []
    for frame in traceback.extract_tb(error.__traceback__):
        try:
            file = Path(frame.filename).resolve().relative_to(checkout)
        except ValueError:
            continue
        found.append({"file": file.as_posix(), "line": frame.lineno, "function": frame.name, "code": frame.line or ""})
    return found[-MAX_FRAMES:]
