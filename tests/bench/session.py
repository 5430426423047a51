# SPDX-License-Identifier: Apache-2.0
"""What runs of many short tests cost: python -m tests.bench.session CHECKOUT [ID ...] [--python P] [--arch A] [--tests N]

The same tests run in one call of pytest, as runs of ttmatrix, and in one call of pytest again: the ratio is to the
middle of both calls, because other programs use the processor, too. With `--alone`, two of the tests also run as runs
that share nothing. The tests are those named, else the first N of one device whose loaders P can import.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from core.base.settings import HOME_VARIABLE, Settings
from core.matrix import index
from core.runs import RunSpec, child_environment
from core.runs.execution import launch_all, wait
from core.runs.execution.sessions import node_of, read_guard
from core.runs.planning import Options, plan_tests
from core.runs.store import RunStore
from core.sources import find_checkout


def main() -> None:
    """Print the seconds and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--arch", default="n150")
    parser.add_argument("--tests", type=int, default=40)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("ids", nargs="*")
    args = parser.parse_intermixed_args()
    matrix = index(find_checkout(args.checkout.resolve()))
    ids = args.ids or [id for id in matrix.ids if "-single_device-" in id][: args.tests]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        os.environ |= {HOME_VARIABLE: home, "TTMATRIX_LEASES": f"{home}/leases"}
        Path(home, "leases").mkdir()
        store, settings = RunStore(Path(home, "runs")), Settings(python=args.python)
        options = Options(kind="device", arch=args.arch)
        specs, _ = plan_tests(matrix, ids, settings, options, runs=store.root)
        first = one_call(specs, Path(home, "before"))
        ours = as_runs(store, specs)
        last = one_call(specs, Path(home, "after"))
        middle = (first + last) / 2
        print(f"{len(specs)} tests: one call of pytest {first:.1f} s and {last:.1f} s, as runs {ours:.1f} s")
        print(f"ratio {ours / middle:.2f}")
        if args.alone:
            again, _ = plan_tests(matrix, ids[:2], settings, options, runs=store.root)
            seconds = sum(as_runs(store, [spec]) for spec in again)
            print(f"alone: {seconds / 2:.1f} s a test")


def one_call(specs: Sequence[RunSpec], directory: Path) -> float:
    """The seconds of one call of pytest with all tests."""
    first, nodes = specs[0], [node_of(spec) for spec in specs]
    directory.mkdir()
    own = [word.replace(first.run_id, directory.name) for word in first.argv]
    argv = [one for word in own for one in (nodes if word == nodes[0] else [word])]
    env = {name: value.replace(first.run_id, directory.name) for name, value in first.env.items()}
    begin = time.perf_counter()
    with (directory / "log").open("wb") as log:
        environ = child_environment(os.environ, env, first.paths)
        subprocess.run(argv, cwd=first.cwd, env=environ, stdout=log, stderr=log, check=False)
    print((directory / "log").read_text(errors="replace").splitlines()[-1])
    return time.perf_counter() - begin


def as_runs(store: RunStore, specs: Sequence[RunSpec]) -> float:
    """The seconds until all runs have ended."""
    begin = time.perf_counter()
    launch_all(store, specs)
    ended = wait(store, [spec.run_id for spec in specs])
    seconds = time.perf_counter() - begin
    served = sum(read_guard(record.directory) is not None for record in ended)
    print(dict(Counter(str(record.outcome) for record in ended)), f"{served} by sessions")
    return seconds


if __name__ == "__main__":
    main()
