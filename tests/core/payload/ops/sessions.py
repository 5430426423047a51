# SPDX-License-Identifier: Apache-2.0
"""Pytest sessions with the plugin, and kernels that are wrong on the tested side."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.runs import Testcase, read_testcases
from tests.support.warm_pytest import Session

PAYLOAD = Path(__file__).parents[4] / "core/payload"

PLANTED = """
import os, signal, threading
import torch
from ttmatrix_payload.ops import running
right = running.run

def wrong(backend, call, args, kwargs):
    if call is torch.tanh:
        os.kill(os.getpid(), signal.SIGKILL)
    if call is torch.cos:
        threading.Event().wait()
    ran = right(backend, call, args, kwargs)
    if call is torch.sigmoid:
        ran.output[0] *= 1.02
    if call is torch.exp:
        return ran._replace(output=ran.output.double())
    if call is torch.sin:
        return ran._replace(output=ran.output.to("meta"))
    if call is torch.Tensor.mul_:
        output = ran.output.clone()
        args[0].fill_(1.0)
        return ran._replace(output=output)
    return ran

running.run = wrong
print("planted")
"""

WRONG = """
model: wrong
defaults: {dtype: fp32, seed: 3}
cases:
  - {name: right, op: torch.add, marks: [quick, bf16operation], inputs: [{tensor: {shape: [30]}}, {value: 1.0}]}
  - {name: two_percent, op: torch.sigmoid, inputs: [{tensor: {shape: [30]}}], description: "model.py:7"}
  - {name: crash, op: torch.tanh, inputs: [{tensor: {shape: [30]}}]}
  - {name: after_crash, op: torch.mul, rtol: 0.5, inputs: [{tensor: {shape: [30]}}, {value: 2.0}]}
  - {name: hang, op: torch.cos, inputs: [{tensor: {shape: [30]}}]}
  - {name: wrong_dtype, op: torch.exp, inputs: [{tensor: {shape: [30]}}]}
  - {name: wrong_device, op: torch.sin, inputs: [{tensor: {shape: [30]}}]}
  - {name: nothing_written, op: torch.Tensor.mul_, inputs: [{tensor: {shape: [30], init: ones}}, {value: 2.0}]}
  - {name: twice, op: torch.mul, rtol: 0.25, inputs: [{tensor: {shape: [30]}}, {value: 2.0}]}
  - {name: fails_twice, op: torch.sigmoid, inputs: [{tensor: {shape: [30]}}]}
  - {name: unknown, op: torch.mulll, inputs: [{tensor: {shape: [30]}}]}
  - {name: too_large, op: torch.neg, inputs: [{tensor: {shape: [60000000000]}}]}
  - {name: expected, op: torch.sigmoid, xfail_reason: known, inputs: [{tensor: {shape: [31]}}]}
  - {name: unexpected, op: torch.add, xfail_reason: known, inputs: [{tensor: {shape: [31]}}, {value: 1.0}]}
  - {name: strict, op: torch.add, xfail_reason: known, xfail_strict: true, inputs: [{tensor: {shape: [32]}}, {value: 1.0}]}
  - {name: expected_crash, op: torch.tanh, xfail_reason: known, inputs: [{tensor: {shape: [31]}}]}
  - {name: no_reference, op: torch.mm, xfail_reason: known, inputs: [{tensor: {shape: [30]}}, {tensor: {shape: [30]}}]}
  - {name: mistake, op: torch.add, inputs: [{tensor: {shap: [30]}}]}
  - {name: skipped, op: torch.sub, inputs: [{tensor: {shape: [30]}}, {value: 1.0}],
     skip_if: [{expr: "cfg.compile_backend == 'eager' and dtype_str == 'fp32'", reason: not here}]}
  - {name: logged, op: torch._C._log_api_usage_once, inputs: [{value: x}]}
"""

STATUSES = {
    "right": "pass",
    "two_percent": "fail",
    "crash": "crash",
    "after_crash": "pass",
    "hang": "timeout",
    "wrong_dtype": "fail",
    "wrong_device": "fail",
    "nothing_written": "fail",
    "twice": "dup",
    "fails_twice": "dup",
    "unknown": "build-error",
    "too_large": "build-error",
    "expected": "xfail",
    "unexpected": "xpass",
    "strict": "xpass",
    "expected_crash": "xfail",
    "no_reference": "error(ref)",
    "mistake": "build-error",
    "skipped": "skip",
    "logged": "not-an-op",
}


@dataclass
class Done:
    """A finished session."""

    code: int
    output: str
    results: dict[str, dict[str, Any]]
    """By id."""
    cases: dict[str, Testcase]


class Directory:
    """A directory of manifests, and sessions in it."""

    def __init__(self, root: Path, session: Session) -> None:
        self.root = root
        self._session = session
        (root / "planted.py").write_text(PLANTED)

    def write(self, name: str, text: str) -> Path:
        """Write a manifest."""
        (self.root / name).write_text(text)
        return self.root / name

    def run(self, *arguments: str, environ: dict[str, str] | None = None) -> Done:
        """Run a session."""
        results, junit = self.root / "results.jsonl", self.root / "junit.xml"
        for path in (results, junit):
            path.unlink(missing_ok=True)
        surroundings = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(PAYLOAD), str(self.root)]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1",
            **(environ or {}),
        }
        argv = ["-p", "ttmatrix_payload.ops.plugin", "-p", "no:cacheprovider", *arguments]
        argv += [f"--ops-json={results}", f"--junitxml={junit}"]
        done = self._session(argv, self.root, surroundings)
        lines = results.read_text().splitlines() if results.is_file() else []
        found = {one["id"]: one for one in map(json.loads, lines)}
        cases = {f"{case.classname}::{case.name}": case for case in (read_testcases(junit) if junit.is_file() else [])}
        return Done(done.returncode, done.stdout + done.stderr, found, cases)
