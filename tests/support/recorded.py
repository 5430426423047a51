# SPDX-License-Identifier: Apache-2.0
"""Results on the sample checkout that are the same wherever they are recorded: for pictures of the screens."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from core.evidence.observation import Ending, Observation
from core.model import BringupStatus, Function
from core.proc import ProcessIdentity
from core.runs.outcome import Outcome
from core.runs.spec import RunSpec
from core.runs.store import RunStore
from core.runs.store.events import Finished, Started, append_event
from core.settings import paths
from core.sources.checkout import Checkout
from tests.support.evidence import observed

NOON = 1_795_348_800.0
"""22 November 2026, 12:00 UTC: now, in pictures."""
_CLOCKS = ("tui.screens.runs", "tui.session", "tui.evidence_service", "core.providers.history")
"""Who asks what time it is."""
_RUNS = (
    ("tabular_fusion/pytorch-Small-single_device-training", Outcome.FAIL, 4.2),
    ("patch_vit/pytorch-Small_Patch8-single_device-training", Outcome.PASS, 3.1),
    ("voxel_scatter/pytorch-Grid_8-single_device-training", Outcome.CRASH, 2.4),
    ("equilibrium_net/pytorch-Loose-single_device-inference", Outcome.HANG, 61.0),
)
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
    """It is `NOON`, in UTC, for whatever a screen shows."""
    with ExitStack() as patched:
        for module in _CLOCKS:
            patched.enter_context(patch(f"{module}.time", SimpleNamespace(time=lambda: NOON)))
        patched.enter_context(patch.dict("os.environ", {"TZ": "UTC"}))
        yield


def nights() -> Iterator[Observation]:
    """Three nightlies on two archs, with some of the mistakes of the sample and one that it has not."""
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
                run = {"run": f"nightly-{night}", "when": night * 86400.0, "host": f"host-{night}"}
                yield observed(**{"test_id": test_id, "arch": arch, **run, **fields})


def record_runs(checkout: Checkout) -> None:
    """Put runs that have ended, each an hour before the next, into the store."""
    store = RunStore(paths().runs)
    for number, (test_id, outcome, seconds) in enumerate(_RUNS):
        at = NOON - 3600.0 * (len(_RUNS) - number)
        created = datetime.fromtimestamp(at, UTC)
        argv = ("python", "cpu_repro.py", f"--loader={test_id.partition('-')[0]}")
        spec = RunSpec(
            run_id=f"{created:%Y%m%d-%H%M%S}-{number:06x}",
            test_id=test_id,
            function=Function.TORCH,
            kind="cpu",
            arch=None,
            argv=argv,
            env={},
            cwd=checkout.root,
            timeout=600.0,
            created=created.isoformat(),
            nonce="0" * 32,
            slots="cpu",
            slot_count=2,
        )
        directory = store.create(spec)
        log = _LOG if outcome is not Outcome.PASS else _LOG.replace(_ERROR, "BFLOAT16: ok\n")
        (directory / "output.log").write_text(log, encoding="utf-8")
        append_event(directory / "events.jsonl", Started(at, ProcessIdentity(1, 1.0), argv))
        append_event(
            directory / "events.jsonl",
            Finished(
                at + seconds, outcome, seconds, None if outcome is Outcome.CRASH else int(outcome is Outcome.FAIL)
            ),
        )
