# SPDX-License-Identifier: Apache-2.0
"""What a run costs beside its own time, and how fast many open: python -m tests.bench.runs"""

import argparse
import gc
import os
import secrets
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil

from core.domain.model import Function
from core.runs import Outcome, RunSpec
from core.runs.execution import launch_all, wait
from core.runs.spec import run_id
from core.runs.store import Finished, RunStore, append_event, events_file

_COMMAND = ("/bin/true",)
_NOW = datetime.now(UTC)


def spec_of(number: int) -> RunSpec:
    """The `number`-th of many runs of a trivial test, one at a time."""
    now, token = _NOW + timedelta(seconds=number), secrets.token_hex(16)
    test = f"model_{number}/pytorch-single_device-training"
    created = now.isoformat()
    return RunSpec(
        run_id(now, token), test, Function.TORCH, "cpu", None, _COMMAND, {}, Path("/"), 60.0, created, token, "cpu", 1
    )


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _processor(pid: int) -> float:
    """Seconds of processor time of a process and of its children that have ended."""
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system + times.children_user + times.children_system


def _queued(count: int) -> tuple[float, float, float]:
    """Seconds per run in the queue, seconds of the bare command, and processor time of the queue."""
    with tempfile.TemporaryDirectory() as scratch:
        store = RunStore(Path(scratch) / "runs")
        specs = [spec_of(number) for number in range(count)]

        def run_all() -> None:
            launch_all(store, specs)
            records = wait(store, [spec.run_id for spec in specs])
            assert all(record.exit_code == 0 for record in records)

        before = _processor(os.getpid())
        whole = _seconds(run_all)
        (service,) = store.queue.leases.held()
        used = _processor(service.owner.pid) + _processor(os.getpid()) - before
        bare = _seconds(lambda: [subprocess.run(_COMMAND, check=True) for _ in range(count)])
        while store.queue.served:
            time.sleep(0.1)
    return whole / count, bare / count, used / count


def _opened(count: int) -> tuple[float, float]:
    """Seconds to open a store of ended runs: with its index, and without."""
    with tempfile.TemporaryDirectory() as scratch:
        store = RunStore(Path(scratch) / "runs")
        result = {
            "phases": [{"dtype": "bfloat16", "ok": True, "inputs": [["x", [2, 3, 224, 224], "bfloat16"]] * 4}] * 2
        }
        argv = (*_COMMAND, *(f"--argument-{number}=some/longer/value" for number in range(8)))
        for number in range(count):
            spec = replace(spec_of(number), argv=argv, env={"PYTHONUNBUFFERED": "1"})
            append_event(events_file(store.create(spec)), Finished(1.0, Outcome.PASS, 2.0, 0, result=result))
        cold = _seconds(lambda: RunStore(store.root).records())
        # The state of the command and the app when they open a store: set up by `tui.__main__`.
        gc.disable()
        warm = min(_seconds(lambda: RunStore(store.root).records()) for _ in range(5))
        gc.enable()
        assert len(RunStore(store.root).records()) == count
    return warm, cold


def main() -> int:
    """Print the numbers; exit code 1 if they exceed the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queued", type=int, default=1000, help="runs to queue")
    parser.add_argument("--stored", type=int, default=10_000, help="runs in the store to open")
    parser.add_argument("--overhead", type=float, default=0.030, help="limit in seconds per queued run")
    parser.add_argument("--open", type=float, default=0.300, help="limit in seconds to open the store")
    args = parser.parse_args()
    whole, bare, used = _queued(args.queued)
    warm, cold = _opened(args.stored)
    beside = f"{(whole - bare) * 1000:.1f} ms beside the command itself, {used * 1000:.1f} ms of processor time"
    print(f"{args.queued:,} queued runs: {whole * 1000:.1f} ms each, {beside}")
    print(f"{args.stored:,} stored runs: open in {warm * 1000:.0f} ms, {cold:.1f} s where the index is to be made")
    return int(whole - bare > args.overhead or warm > args.open)


if __name__ == "__main__":
    raise SystemExit(main())
