# SPDX-License-Identifier: Apache-2.0
"""How long an index takes, as a ratio to upstream's own validator in the same run: python -m tests.bench.index CHECKOUT"""

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

from core.matrix.cache import Cache
from core.sources.checkout import Checkout, find_checkout

_VALIDATE = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.runner.validate_test_config import TestConfigValidator
start = time.process_time()
TestConfigValidator(Path(sys.argv[1])).validate()
print(time.process_time() - start)
"""


def _cpu(work: Callable[[], object]) -> float:
    """Seconds of processor time: what other programs do to the clock does not count."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _validator(checkout: Checkout) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _VALIDATE, str(checkout.root)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def _round(checkout: Checkout, touched: Path) -> dict[str, float]:
    """One of each, one after the other, so that they meet the same machine."""
    with tempfile.TemporaryDirectory() as scratch:
        cache = Cache(checkout, Path(scratch))

        def index_and_keep() -> None:
            _, reading = cache.index()
            if reading is not None:
                cache.keep(reading)

        validator = _validator(checkout)
        cold = _cpu(cache.index)
        index_and_keep()
        warm = _cpu(cache.index)
        os.utime(touched, (time.time() - 60,) * 2)
        changed = _cpu(cache.index)
    return {"cold": cold / validator, "warm": warm / validator, "one file changed": changed / validator}


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
    for name in rounds[0]:
        ratios = [one[name] for one in rounds]
        print(f"{name:17} {statistics.median(ratios):.3f}x of the validator ({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    main()
