# SPDX-License-Identifier: Apache-2.0
"""What a run on another machine costs beside one here, real ssh left out: python -m tests.bench.hosts"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from core.runs import Outcome, RunSpec
from core.runs.execution import wait
from core.runs.execution.launch import launch
from core.runs.store import RunStore
from tests.bench.runs import spec_of
from tests.support.cluster import fake_hosts

_LOOK = 0.001
_STAMPS = "import time\nfor _ in range({}): print(time.time(), flush=True); time.sleep(0.02)"


def _spec(number: int, code: str, needs: str) -> RunSpec:
    return replace(spec_of(number), argv=(sys.executable, "-S", "-c", code), needs=needs)


def _seconds(store: RunStore, specs: list[RunSpec]) -> float:
    """Seconds of the median run, from its launch to its end; runs are sequential."""
    found = []
    for spec in specs:
        begin = time.perf_counter()
        launch(store, spec)
        (record,) = wait(store, [spec.run_id], poll=0.01)
        found.append(time.perf_counter() - begin)
        assert record.outcome in (Outcome.PASS, Outcome.ERROR) and record.exit_code == 0, record
    return statistics.median(found)


def _latencies(store: RunStore, spec: RunSpec, lines: int) -> list[float]:
    """Seconds per line from its `print` until it is in the log here."""
    launch(store, spec)
    log, found, rest = store.directory(spec.run_id) / "output.log", list[float](), b""
    while not log.exists():
        time.sleep(_LOOK)
    with log.open("rb") as file:
        while len(found) < lines:
            data = file.read()
            now = time.time()
            *whole, rest = (rest + data).split(b"\n")
            found += [now - float(line) for line in whole]
            time.sleep(_LOOK)
    wait(store, [spec.run_id])
    return found


def _at(share: float, values: list[float]) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


def main() -> int:
    """Print the numbers; exit code 1 if they exceed the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="trivial runs, one after the other")
    parser.add_argument("--lines", type=int, default=400, help="lines of a log")
    parser.add_argument("--overhead", type=float, default=0.2, help="limit in seconds over a run here")
    parser.add_argument("--log", type=float, default=0.05, help="limit in seconds over a line here, of 95 in 100")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, fake_hosts(Path(scratch)) as hosts:
        hosts.add("a")
        hosts.serve("a")
        store, numbers = RunStore(Path(scratch) / "runs"), iter(range(10_000))

        def both(measure: Callable[[str], float]) -> tuple[float, float]:
            return measure(""), measure("a")

        def runs(needs: str) -> float:
            return _seconds(store, [_spec(next(numbers), "pass", needs) for _ in range(args.runs)])

        late: dict[str, list[float]] = {}

        def lines(needs: str) -> float:
            spec = _spec(next(numbers), _STAMPS.format(args.lines), needs)
            late[needs] = _latencies(store, spec, args.lines)
            return _at(0.95, late[needs])

        here, there = both(runs)
        line_here, line_there = both(lines)
    print(f"a trivial run: {here * 1000:.0f} ms here, {there * 1000:.0f} ms there: {(there - here) * 1000:.0f} ms more")
    medians = " and ".join(f"{_at(0.5, values) * 1000:.1f} ms" for values in late.values())
    print(
        f"a line of its log, 95 in 100: {line_here * 1000:.1f} ms here, {line_there * 1000:.1f} ms there; median {medians}"
    )
    return int(there - here > args.overhead or line_there - line_here > args.log)


if __name__ == "__main__":
    raise SystemExit(main())
