# SPDX-License-Identifier: Apache-2.0
"""Facts about a failure and about a model's interface, as data for whoever looks for the cause in the source."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
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


def parameters(function: Callable[..., Any]) -> list[str] | None:
    """The names that `function` takes; None where it does not say."""
    try:
        return [*inspect.signature(function).parameters]
    except (TypeError, ValueError):
        return None
