# SPDX-License-Identifier: Apache-2.0
"""How fast commands are with many queued runs: python -m tests.bench.queued CHECKOUT [--runs N]

The runs are on hold in a home of their own. Reported are seconds of processor time and of the clock. The first command
finds what the program that queued them has saved; `list` comes before it, because it reads the checkout.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from core.base.settings import Settings, paths
from core.matrix import index
from core.runs.planning import Options, plan_tests
from core.runs.store import RunStore, Ticket
from core.sources import find_checkout

_COMMAND = "import sys; from tui.__main__ import main; sys.argv[0] = 'ttmatrix'; main()"


def main() -> None:
    """Print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--runs", type=int, default=20_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        environ = {**os.environ, "TTMATRIX_HOME": home}
        # Compiling our modules for each command is no part of it.
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        ids = queue(args.checkout, args.runs, RunStore(paths(environ).runs))
        test, run = ids[0]
        for words in (
            ("list", "is:red"),
            ("runs",),
            ("runs", "--json"),
            ("queue",),
            ("show", test),
            ("list", "is:stale"),
            ("logs", run),
            ("queue", "hold", run),
            ("queue", "first", run),
            ("cancel", run),
            ("verdicts",),
            ("propose",),
            ("perf",),
            ("prune", "--days", "30"),
        ):
            used, taken = measured(words, args.checkout, environ)
            print(f"{used:5.2f} s of processor, {taken:5.2f} s   {' '.join(words)}")


def queue(checkout: Path, count: int, store: RunStore) -> list[tuple[str, str]]:
    """Queue that many runs, all on hold; returns their tests and ids."""
    matrix = index(find_checkout(checkout))
    specs, _ = plan_tests(matrix, matrix.ids[:count], Settings(), Options(kind="cpu"), runs=store.root)
    with store.queue.filling():
        for spec in specs:
            store.create(spec)
        store.queue.put([Ticket(spec.run_id, place, held=True) for place, spec in enumerate(specs)], {})
    return [(spec.test_id, spec.run_id) for spec in specs]


def measured(words: tuple[str, ...], checkout: Path, environ: dict[str, str]) -> tuple[float, float]:
    """Seconds of processor time and of the clock that a command takes."""
    before, begin = _used(), time.perf_counter()
    command = [sys.executable, "-P", "-c", _COMMAND, "--repo", str(checkout), *words]
    subprocess.run(command, env=environ, capture_output=True, check=False)
    return _used() - before, time.perf_counter() - begin


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main()
