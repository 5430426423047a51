# SPDX-License-Identifier: Apache-2.0
"""A small checkout with three nightlies on two archs, with every verdict that leads to a decision."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.domain.model import BringupStatus
from core.evidence import Ending, Observation
from core.sources import Checkout
from tests.support.evidence import observed
from tests.support.git import committed_checkout
from tests.support.reports import keep
from tests.support.tree import INFERENCE, loader_source, write_checkout

STALE, STALE_TOO, SEMI, DRIFTED, FLAKY, CRASH, TIGHT, ACTIVE, SILENT = NAMES = tuple(
    f"alpha/pytorch-{name}-single_device-inference"
    for name in ("stale", "stale2", "semi", "drifted", "flaky", "crash", "tight", "active", "silent")
)
DRAM = "Out of Memory: Not enough space to allocate 12 B DRAM buffer across 12 banks"
FATAL = "TT_FATAL: Buffer must be allocated on device!"
ARCHS = ("n150", "p150")


def nightly_checkout(root: Path) -> Checkout:
    """The checkout, committed, with the results of its nightlies."""
    yaml = "test_config:\n"
    for id in NAMES:
        fails = id in (STALE, STALE_TOO, SEMI, DRIFTED, SILENT)
        status = "KNOWN_FAILURE_XFAIL" if fails else "EXPECTED_PASSING"
        reason = '    bringup_status: FAILED_RUNTIME\n    reason: "DRAM OOM"\n' if fails else ""
        yaml += f"  {id}:\n    status: {status}\n{reason}"
    loaders = {"alpha/pytorch": loader_source([id.split("-")[1] for id in NAMES])}
    checkout = write_checkout(root, loaders, {INFERENCE: yaml})
    (root / "ttmatrix-policy.toml").write_text("grace_days = 0\n")
    committed_checkout(checkout)
    keep(checkout, list(_results()))
    return checkout


def _results() -> Iterator[Observation]:
    for night in (1, 2, 3):
        for arch in ARCHS:
            for id in NAMES[:-1]:
                night_of: dict[str, Any] = {"run": f"nightly-{night}", "when": night * 86400.0, "host": f"host-{night}"}
                yield observed(**(night_of | {"test_id": id, "arch": arch} | _ended(id, arch, night)))


def _ended(id: str, arch: str, night: int) -> dict[str, Any]:
    failed = {"ending": Ending.FAILED, "stage": BringupStatus.FAILED_RUNTIME}
    match id:
        case _ if id == SEMI and arch == "n150":
            return {**failed, "reason": DRAM}
        case _ if id == DRIFTED or (id == FLAKY and night == 2):
            return {**failed, "reason": FATAL}
        case _ if id == CRASH:
            return {"ending": Ending.CRASHED, "reason": "Fatal Python error: Aborted", "signal": 6}
        case _ if id == TIGHT:
            return {"ending": Ending.INACCURATE, "pcc": 0.975, "pcc_required": 0.99, "pcc_checked": True}
    return {"ending": Ending.PASSED, "pcc": 0.992}
