# SPDX-License-Identifier: Apache-2.0
"""How long an index takes, as a ratio to upstream's own validator in the same run: python -m tests.bench.index CHECKOUT

At most 0.30 cold, 0.06 warm and 0.15 after one changed file; the whole process of `ttmatrix list` 0.45 and 0.20.

The clock's ratio is what a person waits; that of processor time counts both processes of a cold index, and is what
remains comparable when other programs keep the machine busy.
"""

import argparse
import gc
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from core.base.settings import HOME_VARIABLE
from core.matrix.cache import Cache
from core.sources import Checkout, find_checkout

_VALIDATE = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.runner.validate_test_config import TestConfigValidator
clock, processor = time.perf_counter(), time.process_time()
TestConfigValidator(Path(sys.argv[1])).validate()
print(time.perf_counter() - clock, time.process_time() - processor)
"""

_RACY_SECONDS = 2.5


class _Cost(NamedTuple):
    """Seconds of wall time, and seconds of processor time including children."""

    clock: float
    processor: float

    def over(self, other: "_Cost") -> "_Cost":
        return _Cost(self.clock / other.clock, self.processor / other.processor)


def _now() -> _Cost:
    return _Cost(time.perf_counter(), sum(os.times()[:4]))


def _cost(work: Callable[[], object]) -> _Cost:
    start = _now()
    work()
    return _Cost(*(after - before for before, after in zip(start, _now(), strict=True)))


def _validator(checkout: Checkout) -> _Cost:
    argv = [sys.executable, "-c", _VALIDATE, str(checkout.root)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return _Cost(*map(float, done.stdout.split()))


def _list(checkout: Checkout, home: str) -> None:
    """Run `ttmatrix list` as a separate process."""
    argv = [sys.executable, "-m", "tui", "list", "--repo", str(checkout.root)]
    argv += ["--universe", "validator", "--format", "ids"]
    env = {**os.environ, HOME_VARIABLE: home}
    subprocess.run(argv, env=env, stdout=subprocess.DEVNULL, check=True)


def _until_kept(checkout: Checkout, home: str) -> None:
    """Wait until the index is saved by a copy of the process that has answered."""
    last, deadline = Cache(checkout, Path(home) / "cache" / "index").file("parts"), time.monotonic() + 30
    while not last.exists():
        assert time.monotonic() < deadline, f"{last} was never written"
        time.sleep(0.05)


def _round(checkout: Checkout, touched: Path) -> dict[str, _Cost]:
    """Run each once in sequence, so that they meet the same load."""
    with tempfile.TemporaryDirectory() as scratch:
        cache = Cache(checkout, Path(scratch))

        def index_and_keep() -> None:
            _, reading = cache.index()
            if reading is not None:
                cache.save(reading)

        validator = _validator(checkout)
        cold = _cost(cache.index)
        index_and_keep()
        warm = _cost(cache.index)
        os.utime(touched, (time.time() - 60,) * 2)
        changed = _cost(cache.index)
    # A file touched just now counts as changed.
    time.sleep(_RACY_SECONDS)
    with tempfile.TemporaryDirectory() as home:
        cold_list = _cost(lambda: _list(checkout, home))
        _until_kept(checkout, home)
        warm_list = _cost(lambda: _list(checkout, home))
    costs = {"cold": cold, "warm": warm, "one file changed": changed, "list, cold": cold_list, "list, warm": warm_list}
    return {name: cost.over(validator) for name, cost in costs.items()}


def main() -> None:
    """Print the median ratios of several rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    checkout = find_checkout(options.checkout)
    touched = max(checkout.test_config.rglob("test_config_*.yaml"), key=lambda path: path.stat().st_size)
    # As in the command itself: nothing that is built here becomes garbage.
    gc.disable()
    rounds = [_round(checkout, touched) for _ in range(options.rounds)]
    print(f"{'of the validator':17} {'by the clock':24} of processor time")
    for name in rounds[0]:
        print(f"{name:17}", *(_spread([one[name][at] for one in rounds]) for at in range(2)))


def _spread(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.3f}x ({min(ratios):.3f} to {max(ratios):.3f}) "


if __name__ == "__main__":
    main()
