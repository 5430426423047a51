# SPDX-License-Identifier: Apache-2.0
"""The origin of a failure: the checkout's own lines as data, and the traceback as a plain script would print it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

Frame = TypeVar("Frame")

MAX_FRAMES = 50

_HERE = Path(__file__).resolve().parents[2]
_INSTALLED = frozenset({"site-packages", "dist-packages"})
_PLUMBING = (
    "torch/_compile.py",
    "torch/_dynamo/eval_frame.py",
    "torch/_ops.py",
    "torch/utils/_pytree.py",
    "torch/utils/_python_dispatch.py",
    "importlib/__init__.py",
)
"""Code around our frames that is only there because of us: torch's calls of a dispatch mode, running a module."""


def frames(error: BaseException, checkout: Path) -> list[dict[str, Any]]:
    """The lines of the checkout's own files that `error` passed through, the one that raised last."""
    found = []
    for frame in traceback.extract_tb(error.__traceback__):
        try:
            file = Path(frame.filename).resolve().relative_to(checkout)
        except ValueError:
            continue
        # The virtual environment of the models may be inside the checkout.
        if _INSTALLED.isdisjoint(file.parts):
            code = frame.line or ""
            found.append({"file": file.as_posix(), "line": frame.lineno, "function": frame.name, "code": code})
    return found[-MAX_FRAMES:]


def traceback_text(error: BaseException) -> str:
    """The traceback of `error` and its causes, without our frames."""
    told = traceback.TracebackException(type(error), error, error.__traceback__, compact=True)
    _strip(told, set())
    return "".join(told.format())


def _strip(told: traceback.TracebackException | None, seen: set[int]) -> None:
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    told.stack = traceback.StackSummary.from_list(foreign(told.stack, attrgetter("filename")))
    for other in (told.__cause__, told.__context__, *(getattr(told, "exceptions", None) or ())):
        _strip(other, seen)


def foreign(stack: Iterable[Frame], file_of: Callable[[Frame], str]) -> list[Frame]:
    """`stack` without our frames and the plumbing around them; `file_of` returns the file of a frame."""
    left: list[Frame] = []
    behind_ours = False
    for frame in stack:
        file = file_of(frame)
        if Path(file).resolve().is_relative_to(_HERE):
            behind_ours = True
            while left and _is_plumbing(file_of(left[-1])):
                left.pop()
        elif not (behind_ours and _is_plumbing(file)):
            behind_ours = False
            left.append(frame)
    return left


def _is_plumbing(file: str) -> bool:
    return file.endswith(_PLUMBING) or file.startswith("<frozen importlib")
