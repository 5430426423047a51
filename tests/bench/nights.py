# SPDX-License-Identifier: Apache-2.0
"""180 nights of a real matrix with planted findings, and the report on them: python -m tests.bench.nights CHECKOUT"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.base.settings import paths
from core.evidence import store_file
from core.evidence.store import EvidenceStore
from core.matrix import index
from core.sources import find_checkout
from tests.support.planted import BAD_HOST, Nights, differences

_MOST_SECONDS = 3.0


def main() -> int:
    """Print the findings; exit code 1 if they are not those planted, or it took too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--nights", type=int, default=180)
    parser.add_argument("--cells", type=int, default=4000, help="results of one night at most")
    parser.add_argument("--home", metavar="DIR", type=Path, help="where the results stay, to be looked at afterwards")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = args.home or Path(scratch)
        os.environ["TTMATRIX_HOME"] = str(home)
        return _measure(args.checkout, home, args.nights, args.cells)


def _measure(root: Path, home: Path, nights: int, cells: int) -> int:
    checkout = find_checkout(root)
    made = Nights(index(checkout), time.time(), nights, cells)
    file = store_file(paths().evidence, checkout.root)
    if not file.exists():
        added = time.process_time()
        EvidenceStore(file).add(made.reports())
        print(f"{len(made.cells):,} cells in {nights} nights: stored in {time.process_time() - added:.0f} s of CPU")
    config = paths().policy_file
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text("")
    with_host, _ = _report(root)
    suspects = [one["host"] for one in with_host["hosts"] if one["suspect"]]
    print(f"machines that failures follow: {suspects}")
    config.write_text(f'ignored_hosts = ["{BAD_HOST}"]\n')
    _report(root)
    found, took = _report(root)
    print(f"the report on {found['results']:,} results: {took:.2f} s of CPU, index and Python included")
    wrong = differences(made, found)
    for name, (missing, extra) in wrong.items():
        print(f"{name}: {len(missing)} not found, {len(extra)} too many: {sorted(extra)[:3]}")
    print("exactly what was planted" if not wrong and suspects == [BAD_HOST] else "NOT what was planted")
    return int(bool(wrong) or suspects != [BAD_HOST] or took > _MOST_SECONDS)


def _report(root: Path) -> tuple[Mapping[str, Any], float]:
    """The command's JSON output, and its processor time."""
    before = os.times()
    argv = [sys.executable, "-m", "tui", "report", "--repo", str(root), "--since", "190", "--json"]
    done = subprocess.run(argv, stdout=subprocess.PIPE, check=True)
    after = os.times()
    took = after.children_user + after.children_system - before.children_user - before.children_system
    return json.loads(done.stdout), took


if __name__ == "__main__":
    raise SystemExit(main())
