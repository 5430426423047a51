# SPDX-License-Identifier: Apache-2.0
"""Whether our plugin collects what ttmatrix says pytest collects: python -m tests.bench.collect CHECKOUT [--python P]

The loaders are imported by P, which is the interpreter this runs in unless named. Those it cannot import are listed with
what is in the way, and their tests are left out on both sides. Exit code 1: the rest differs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from core.domain.model import TEST_MODULE, Status
from core.matrix import Universe, index, status_on
from core.runs.planning.kinds import PAYLOAD
from core.sources import find_checkout

SHOWN = 20


class Collected(NamedTuple):
    """The result of pytest's collection."""

    names: set[str]
    problems: dict[str, str]
    """Why a loader cannot be imported, by its directory."""
    seconds: float
    loaded: float
    """Seconds of these until torch was imported."""


def main() -> int:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--python", default=sys.executable)
    args = parser.parse_args()
    checkout = find_checkout(args.checkout.resolve())
    collected = collect(checkout.root, args.python)
    static = static_names(checkout.root, collected.problems)
    print(
        f"collected: {len(collected.names):,} tests in {collected.seconds:.1f} s, of which torch {collected.loaded:.1f} s"
    )
    print(f"by ttmatrix: {len(static):,} tests of the loaders that can be imported")
    print(f"cannot be imported: {len(collected.problems)} loaders")
    for reason, count in Counter(collected.problems.values()).most_common():
        print(f"  {count:4} {reason[:150]}")
    for title, names in (
        ("not collected", static - collected.names),
        ("unknown to ttmatrix", collected.names - static),
    ):
        print(f"{title}: {len(names)}")
        for name in sorted(names)[:SHOWN]:
            print(f"  {name}")
    return 0 if static == collected.names else 1


def collect(root: Path, python: str) -> Collected:
    """Run pytest's collection with our plugin."""
    begin = time.perf_counter()
    subprocess.run([python, "-c", "import torch"], check=True)
    loaded = time.perf_counter() - begin
    with tempfile.TemporaryDirectory() as directory:
        problems = Path(directory) / "problems.json"
        argv = [
            python,
            "-m",
            "pytest",
            "-p",
            "ttmatrix_payload.runner",
            "-p",
            "no:cacheprovider",
            "--collect-only",
            "-q",
        ]
        # Upstream's own conftests, if the checkout has them, need its packages and declare the same options.
        argv.append("--noconftest")
        begin = time.perf_counter()
        done = subprocess.run(
            [*argv, f"--import-problems={problems}"],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(PAYLOAD), "HF_HUB_OFFLINE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - begin
        if done.returncode != 0:
            sys.exit(f"pytest ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        told = {one["loader"]: f"{one['error_type']}: {one['message']}" for one in json.loads(problems.read_text())}
    lines = (line.partition("::") for line in done.stdout.splitlines())
    return Collected({name for path, _, name in lines if path == TEST_MODULE}, told, seconds, loaded)


def static_names(root: Path, without: dict[str, str]) -> set[str]:
    """The names that ttmatrix expects, without the loaders in `without` and what entries exclude."""
    matrix = index(find_checkout(root), Universe.COLLECTED)
    return {
        f"{function}[{member.id}]"
        for member in matrix.members()
        if member.id not in matrix.strays and member.directory not in without
        if status_on(matrix.entries.get(member.id), None) is not Status.EXCLUDE_MODEL
        for function in matrix.functions_of(member)
    }


if __name__ == "__main__":
    sys.exit(main())
