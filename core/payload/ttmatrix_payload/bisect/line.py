# SPDX-License-Identifier: Apache-2.0
"""Summary of a bisection's report: the result line of its run."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

VERSION = 1
MOST_POINTS = 60
"""Most points of the drift curve; each is the maximum of its part."""


def result_line(report: Mapping[str, Any], nonce: str) -> dict[str, Any]:
    """The result line of a bisection; `problem`: why there is no report."""
    line: dict[str, Any] = {"version": VERSION, "nonce": nonce}
    if "verdict" not in report:
        return {**line, "problem": {"kind": "bisect", "message": report["problem"]}}
    first = report["first"]
    line |= {"message": _message(report), "verdict": report["verdict"], "drift": _points(report["curve"])}
    if first is not None:
        line |= {name: first[name] for name in ("op", "module", "code")}
        line |= {"line": f"{first['file']}:{first['line']}" if first["file"] else None}
        line |= {"apart": _apart(first), "case": report["case"] or report["case_message"]}
    if report["minimised"] is not None:
        line["smallest"] = report["minimised"]["code"]
    return line


def _message(report: Mapping[str, Any]) -> str:
    first, calls = report["first"], f"{report['calls']:,} calls"
    if report["verdict"] == "op":
        where = f" in {first['module']}" if first["module"] else ""
        return f"op: {first['op']}{where} departs, {_apart(first)}"
    if report["verdict"] == "drift":
        return f"drift: no op departs, the outputs do after {calls}"
    if report["verdict"] == "graph":
        return f"graph: no op departs, the model as a whole does, {calls}"
    return f"none: nothing departs, {calls}"


def _apart(first: Mapping[str, Any]) -> str:
    if first["error"] or first["problem"]:
        return str(first["error"] or first["problem"])
    pcc = "undefined" if first["pcc"] is None else f"{first['pcc']:.6f}"
    return f"relative error {first['rel']:.3g}, PCC {pcc}"


def _points(curve: list[Mapping[str, Any]]) -> list[float | None]:
    values = [None if one["cumulative"] is None else one["cumulative"]["rel"] for one in curve]
    parts = min(MOST_POINTS, len(values))
    cuts = [len(values) * at // parts for at in range(parts + 1)] if parts else []
    return [_largest(values[start:end]) for start, end in pairwise(cuts)]


def _largest(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return max(known) if len(known) == len(values) else None
