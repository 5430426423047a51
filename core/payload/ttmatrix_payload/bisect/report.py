# SPDX-License-Identifier: Apache-2.0
"""The result of a comparison, as data for programs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from .alone import Alone
from .distance import Distance
from .engine import Culprit, Step
from .verdict import Found, Whole


def report(found: Found, alone: Alone | None, root: Path) -> dict[str, Any]:
    """The report as JSON. Non-finite numbers are null; a text beside them gives their value."""
    steps, culprit = found.engine.steps, found.engine.culprit
    return {
        "verdict": found.verdict,
        "first": None if culprit is None else _first(culprit, root),
        "departures": sum(step.departs for step in steps),
        "calls": len(steps),
        "complete": found.complete,
        "curve": [_point(number, step, root) for number, step in enumerate(steps)],
        "capture": {"by": found.capture, "graphs": found.graphs, "failed": list(found.reasons)},
        "whole": _whole(found.whole),
        "by_op": None if found.by_op is None else _whole(found.by_op),
        "passed_over": dict(found.engine.passed_over),
        "minimised": None if found.minimised is None else found.minimised._asdict(),
        "case": str(alone.path) if alone is not None and alone.path is not None else None,
        "case_fails": alone is not None and alone.fails,
        "case_message": "" if alone is None else alone.message,
    }


def described(culprit: Culprit, root: Path) -> str:
    """The place of the call, in the form of descriptions of op cases."""
    place = culprit.step.place
    where = f"{shown(place.file, root)}:{place.line}" if place.file else ""
    parts = (where, f"code: {place.code}" if place.code else "", f"module {place.module}" if place.module else "")
    return "; ".join(filter(None, parts))


def shown(file: str, root: Path) -> str:
    """A file relative to the checkout if it is inside, else its path unchanged."""
    path = Path(file)
    return path.relative_to(root).as_posix() if file and path.is_relative_to(root) else file


def _first(culprit: Culprit, root: Path) -> dict[str, Any]:
    step = culprit.step
    return {
        **_placed(culprit.number, step, root),
        "code": step.place.code,
        "dtype": step.dtype,
        "shape": list(step.shape),
        **_distance(step.isolated),
        "rtol": culprit.rtol,
        "atol": culprit.atol,
        "error": step.error,
    }


def _point(number: int, step: Step, root: Path) -> dict[str, Any]:
    point = _placed(number, step, root) | {"departs": step.departs, "isolated": _distance(step.isolated)}
    return point | {"cumulative": None if step.cumulative is None else _distance(step.cumulative)}


def _placed(number: int, step: Step, root: Path) -> dict[str, Any]:
    place = step.place
    return {
        "number": number,
        "op": step.op,
        "module": place.module,
        "file": shown(place.file, root),
        "line": place.line,
    }


def _whole(whole: Whole) -> dict[str, Any]:
    numbers = _distance(Distance() if whole.distance is None else whole.distance)
    return {"departs": whole.departs, "error": whole.error, **numbers}


def _distance(apart: Distance) -> dict[str, Any]:
    return {
        "rel": _number(apart.rel),
        "max_rel": _number(apart.max_rel),
        "max_abs": _number(apart.max_abs),
        "pcc": None if apart.pcc is None else _number(apart.pcc),
        "mismatched": _number(apart.mismatched),
        "problem": apart.problem,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
