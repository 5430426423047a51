# SPDX-License-Identifier: Apache-2.0
"""Reproducible results on the sample checkout, for pictures of the screens."""

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from core.base.files import plain
from core.base.processes import ProcessIdentity, own_identity
from core.base.settings import paths
from core.domain.model import BringupStatus, Function
from core.evidence import Ending, Observation
from core.ops import OpCase, case_key, read_op_tests
from core.runs import Outcome, ResultFormat, RunSpec
from core.runs.cluster import Cluster, ClusterStatus, HostState, HostStatus
from core.runs.store import Finished, RunStore, Started, append_event
from core.sources import Checkout
from tests.support.evidence import observed

NOON = 1_795_348_800.0
"""22 November 2026, 12:00 UTC: the current time in pictures."""
_CLOCKS = (
    "tui.screens.hosts",
    "tui.screens.overview",
    "tui.screens.plan",
    "tui.app.polling",
    "tui.screens.runs",
    "tui.screens.entry_commits",
    "tui.view_models.batch_list",
    "tui.view_models.runs",
    "core.providers.history",
    "core.sessions.session",
    "core.workspace.evidence",
)
"""Modules that read the clock."""
_RUNS = (
    ("tabular_fusion/pytorch-Small-single_device-training", Outcome.FAIL, 4.2),
    ("patch_vit/pytorch-Small_Patch8-single_device-training", Outcome.PASS, 3.1),
    ("voxel_scatter/pytorch-Grid_8-single_device-training", Outcome.CRASH, 2.4),
    ("equilibrium_net/pytorch-Loose-single_device-inference", Outcome.HANG, 61.0),
)
_CASES: Mapping[str, Mapping[str, tuple[str, float, float]]] = {
    "nano_lm::input_norm": {"eager": ("pass", 0.0, 0.0), "inductor": ("pass", 4.768e-07, 7.2)},
    "nano_lm::merge_heads_needs_reshape": {"eager": ("pass", 0.0, 0.0), "inductor": ("fail", 0.0, 0.01)},
    "nano_lm::split_heads": {"eager": ("pass", 0.0, 0.0), "inductor": ("pass", 0.0, 0.7)},
    "nano_lm::weights": {"eager": ("pass", 0.0, 0.0), "inductor": ("pass", 1.49e-08, 6.9)},
    "nano_lm_tt::weights": {"eager": ("pass", 0.0, 0.0), "inductor": ("pass", 0.0, 6.5)},
}
"""By id and backend: status, largest error of an element, and seconds of compiling."""
_MESSAGE = (
    "inductor raised TorchRuntimeError: RuntimeError when making fake tensor call; expected is RuntimeError with "
    "'view size is not compatible'"
)
_BISECTION = {
    "message": "op: torch.ops.aten.sigmoid.default departs, relative error 0.0203, PCC 0.999961",
    "verdict": "op",
    "drift": [0.0, 0.0, 0.0025, 0.0204, 0.0204, 0.0206],
    "op": "torch.ops.aten.sigmoid.default",
    "line": "third_party/tt_forge_models/depth_unet/pytorch/src/model.py:29",
    "code": "return DepthMapOutput(self.farthest * torch.sigmoid(self.decode(features)).squeeze(1), features)",
    "apart": "relative error 0.0203, PCC 0.999961",
}
_ERROR = """\
\x1b[31mRuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16\x1b[0m
BFLOAT16: failed in forward
"""
_LOG = f"""\
torch 2.9.0, python 3.11.7 at ~/tt-xla/venv/bin/python

===== BFLOAT16 =====
inputs:
  image: bfloat16 [2, 3, 16, 16]
  row: float32 [2, 6]
{_ERROR}
===== FLOAT32 (dtype_override left out) =====
FLOAT32: ok
"""


@contextmanager
def at_noon() -> Iterator[None]:
    """Set the time to `NOON`, in UTC, for everything that a screen shows."""
    with ExitStack() as patched:
        for module in _CLOCKS:
            patched.enter_context(patch(f"{module}.time", SimpleNamespace(time=lambda: NOON)))
        patched.enter_context(patch.dict("os.environ", {"TZ": "UTC"}))
        yield


def nights() -> Iterator[Observation]:
    """Three nightlies on two archs, with some of the sample's mistakes and one that it does not have."""
    failed = {"ending": Ending.FAILED, "stage": BringupStatus.FAILED_RUNTIME}
    shown: dict[str, dict[str, dict[str, Any]]] = {
        "text_cnn/pytorch-Wide-single_device-inference": {"n150": {"pcc": 0.9962}, "p150": {"pcc": 0.9971}},
        "patch_vit/pytorch-Small_Patch8-single_device-training": {
            "n150": {**failed, "reason": "TT_FATAL: Buffer must be allocated on device!"},
            "p150": {"pcc": 0.9935},
        },
        "video_pool3d/pytorch-Clip_8-single_device-inference": {
            arch: {**failed, "reason": "Out of Memory: Not enough space to allocate 83886080 B DRAM buffer"}
            for arch in ("n150", "p150")
        },
        "bev_planner/pytorch-single_device-inference": {
            "n150": {"ending": Ending.CRASHED, "reason": "running the test CRASHED with signal 6", "signal": 6},
            "p150": {"pcc": 0.9984},
        },
    }
    for night in (1, 2, 3):
        for test_id, archs in shown.items():
            for arch, fields in archs.items():
                run = {"run": f"nightly-{night}", "when": NOON - (4 - night) * 86400.0, "host": f"host-{night}"}
                yield observed(**{"test_id": test_id, "arch": arch, **run, **fields})


def record_runs(checkout: Checkout) -> None:
    """Add ended runs to the store, one per hour."""
    for number, (test_id, outcome, seconds) in enumerate(_RUNS):
        at = NOON - 3600.0 * (len(_RUNS) - number)
        spec = _spec(checkout, number, at, test_id, f"--loader={test_id.partition('-')[0]}")
        log = _LOG if outcome is not Outcome.PASS else _LOG.replace(_ERROR, "BFLOAT16: ok\n")
        code = None if outcome is Outcome.CRASH else int(outcome is Outcome.FAIL)
        _ended(spec, at, Finished(at + seconds, outcome, seconds, code), log)


def record_ops(checkout: Checkout) -> None:
    """A batch of op cases on eager and one on inductor, on which one fails, and a bisection that names an op."""
    rows = {row.id: row for row in read_op_tests(checkout.root, ["tests/op_manifests"]).rows}
    for number, (backend, seconds) in enumerate({"eager": 4.1, "inductor": 58.7}.items()):
        at = NOON - 3600.0 * (2 - number)
        spec = replace(
            _spec(checkout, 16 + number, at, "5 op cases of 2 models", f"--compile-backend={backend}"),
            function=Function.OP_CASE,
            kind="ops",
            arch=backend,
            report=ResultFormat.CASES,
            cases="\n".join(_CASES),
            manifests=tuple(dict.fromkeys(rows[id].manifest.path for id in _CASES)),
        )
        results = [_result(rows[id], backend, *_CASES[id][backend]) for id in _CASES]
        failed = sum(one["status"] == "fail" for one in results)
        outcome = Outcome.FAIL if failed else Outcome.PASS
        said = {"message": f"{failed} fail, {len(results) - failed} pass" if failed else f"{len(results)} pass"}
        log = "".join(f"{one['id']} {'FAILED' if one['status'] == 'fail' else 'PASSED'}\n" for one in results)
        directory = _ended(spec, at, Finished(at + seconds, outcome, seconds, int(bool(failed)), result=said), log)
        (directory / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in results))
    test_id = "depth_unet/pytorch-Indoor-single_device-inference"
    spec = replace(_spec(checkout, 32, NOON - 600.0, test_id, "--backend=tt"), kind="bisect")
    ops = "conv2d.default", "relu.default", "conv_transpose2d.input", "sigmoid.default"
    log = "".join(f"{number:5} torch.ops.aten.{op}\n" for number, op in enumerate(ops, 1))
    _ended(spec, NOON - 600.0, Finished(NOON - 560.0, Outcome.FAIL, 40.0, 1, result=_BISECTION), log)


def _spec(checkout: Checkout, number: int, at: float, test_id: str, argument: str) -> RunSpec:
    created = datetime.fromtimestamp(at, UTC)
    return RunSpec(
        run_id=f"{created:%Y%m%d-%H%M%S}-{number:06x}",
        test_id=test_id,
        function=Function.TORCH,
        kind="cpu",
        arch=None,
        argv=("python", "cpu_repro.py", argument),
        env={},
        cwd=checkout.root,
        timeout=600.0,
        created=created.isoformat(),
        nonce="0" * 32,
        slots="cpu",
        slot_count=2,
    )


def _ended(spec: RunSpec, at: float, end: Finished, log: str) -> Path:
    """Add an ended run to the store; returns its directory."""
    directory = RunStore(paths().runs).create(spec)
    (directory / "output.log").write_text(log, encoding="utf-8")
    append_event(directory / "events.jsonl", Started(at, ProcessIdentity(1, 1.0), spec.argv))
    append_event(directory / "events.jsonl", end)
    return directory


def _result(row: OpCase, backend: str, status: str, off: float, seconds: float) -> dict[str, Any]:
    """A line of `results.jsonl`: with the greatest error of an element, and the seconds of compiling and running."""
    numbers = {"max_abs": off, "max_rel": off * 100, "mismatched": 0.0, "pcc": 1.0} if status == "pass" else {}
    parts = {"build": 0.004, "eager": 0.001, "compile": seconds, "run": 0.002, "compare": 0.001}
    case = {"key": case_key(row), "rtol": row.case.rtol, "atol": row.case.atol, "torch": "2.9.0"}
    message = "" if status == "pass" else _MESSAGE
    return {"id": row.id, "status": status, "backend": backend, "message": message, "seconds": parts, **numbers, **case}


_PROGRAM = """\
module @IrToHlo.{number} {{
  func.func @main(%arg0: tensor<2x3x{dtype}>, %arg1: tensor<3x{dtype}>) -> tensor<2x3x{dtype}> {{
    %cst = stablehlo.constant dense<"0x{data}"> : tensor<200xbf16>
{body}  }}
}}
#loc1 = loc("third_party/tt_forge_models/patch_vit/pytorch/src/model.py":12:4)
"""
_BODIES = (
    "    %0 = stablehlo.convert %arg0 : (tensor<2x3xbf16>) -> tensor<2x3xf32> loc(#loc1)\n"
    "    %1 = stablehlo.add %0, %0 : tensor<2x3xf32> loc(#loc1)\n"
    "    return %1 : tensor<2x3xf32>\n",
    "    %0 = stablehlo.add %arg0, %arg0 : tensor<2x3xbf16> loc(#loc1)\n    return %0 : tensor<2x3xbf16>\n",
)


HOSTS = """\
[hosts.wh-01]
ssh = "me@wh-01:48396"
labels = ["n150"]
slots = 2
checkout = "/localdev/me/tt-xla"
expires = 2026-11-22T15:25:00Z

[hosts.bh-02]
ssh = "me@bh-02"
labels = ["p150"]
expires = 2026-11-22T12:20:00Z
"""
"""A file of two machines, one with a lease that is about to end."""
LOST = HostStatus("bh-02", HostState.LOST, "the link is gone: Connection reset by peer", NOON - 60, 1)


def record_hosts(text: str = HOSTS) -> None:
    """Provide machines: those of the hosts file `text`, one of them lost."""
    file, cluster = paths().hosts_file, Cluster()
    for directory in (file.parent, cluster.directory):
        directory.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    states = (HostStatus("wh-01", HostState.UP, "", NOON - 60, 2, ("20260101-000000-000000",)), LOST)
    cluster.status_file.write_text(json.dumps(plain(ClusterStatus(own_identity(), states))))


def record_profiles(checkout: Checkout) -> str:
    """Add a batch of one test under two profiles, three runs of each, to the store; returns its name."""
    test_id = "patch_vit/pytorch-Small_Patch8-single_device-training"
    at = NOON - 6 * 3600.0
    batch = ""
    for number in range(6):
        fast = number % 2
        begin = at + number * 60.0
        spec = _spec(checkout, 64 + number, begin, test_id, "--backend=xla")
        batch = batch or spec.run_id
        spec = replace(spec, kind="device", report=ResultFormat.JUNIT, batch=batch, profile="fast" if fast else "")
        seconds = (0.20 - 0.08 * fast) + 0.002 * (number // 2)
        said = {
            "compile_s": 1.5 - 0.3 * fast,
            "run_s": seconds,
            "samples_per_s": 2 / seconds,
            "peak_bytes": 600 * 2**20,
        }
        tags = {"pcc": 0.9991 - 0.0004 * fast, "atol": 0.0125 * (1 + fast)}
        result = {"message": "", "tags": tags, "performance": json.dumps(said), "backend": "xla"}
        log = f"backend: xla\nprofile: {'fast' if fast else 'default'}\ndone\n"
        directory = _ended(spec, begin, Finished(begin + 30.0, Outcome.PASS, 30.0, 0, result=result), log)
        (directory / "ir").mkdir()
        program = _PROGRAM.format(number=90 + number, dtype="bf16", data="3F80" * 200, body=_BODIES[fast])
        (directory / "ir" / "forward.stablehlo.mlir").write_text(program)
        graph = (
            'def forward(self, x: "bf16[2, 3]"):\n    y: "bf16[2, 3]" = torch.add(x, x);  x = None\n    return (y,)\n'
        )
        (directory / "ir" / "forward.fx.0.py").write_text(graph)
    return batch
