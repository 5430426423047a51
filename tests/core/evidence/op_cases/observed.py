# SPDX-License-Identifier: Apache-2.0
"""Results of op cases as the plugin writes them, and as observations of one batch after the other."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.evidence import Observation
from core.evidence.reports import Setting, observe_cases
from core.ops import OpTests, case_key, read_op_tests

MANIFEST = """\
model: m
defaults: {dtype: fp32, rtol: 1.0e-3, atol: 1.0e-3}
cases:
  - {name: plain, op: torch.add, inputs: [{tensor: {shape: [2]}}, {value: 1.0}]}
  - {name: skipped, op: torch.mul, skip_if: "cfg.compile_backend == 'inductor'", inputs: [{tensor: {shape: [2]}}, {value: 2.0}]}
  - {name: expected, op: torch.sub, xfail_if: 'True', xfail_reason: known, inputs: [{tensor: {shape: [2]}}, {value: 2.0}]}
  - {name: marked, op: torch.neg, marks: [slow, xfail], inputs: [{tensor: {shape: [2]}}]}
  - {name: same, op: torch.add, inputs: [{tensor: {shape: [2]}}, {value: 1.0}]}
"""


def op_tests_of(directory: Path, text: str = MANIFEST) -> OpTests:
    """The cases of a manifest `ops/m.yaml` in `directory`."""
    (directory / "ops").mkdir(exist_ok=True)
    (directory / "ops/m.yaml").write_text(text)
    return read_op_tests(directory, ["ops"])


def result(tests: OpTests, name: str, status: str, **more: Any) -> dict[str, Any]:
    """A line of `results.jsonl`."""
    row = next(row for row in tests.rows if row.id == f"m::{name}")
    case = {"key": case_key(row), "rtol": row.case.rtol, "atol": row.case.atol}
    message = "" if status == "pass" else f"{status}: 3 of 12 elements differ"
    return {"id": row.id, "status": status, "backend": "eager", "message": message, **case, **more}


def batches(*results: Sequence[Mapping[str, Any]], commit: str = "c1") -> list[Observation]:
    """The observations of batches, one per hour, oldest first."""
    found: list[Observation] = []
    for number, documents in enumerate(results, 1):
        setting = Setting(run=f"run-{number}", when=3600.0 * number, job=f"run-{number}", commit=commit)
        found.extend(observe_cases(documents, setting))
    return found
