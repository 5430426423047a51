# SPDX-License-Identifier: Apache-2.0
"""What two million results cost: python -m tests.bench.evidence_store CHECKOUT"""

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from core.evidence.observation import Ending, Observation
from core.evidence.reports.reading import JUnitReport
from core.evidence.results import Results
from core.evidence.store import EvidenceStore
from core.evidence.verdicts.matrix import Verdicts
from core.evidence.verdicts.policy import Policy
from core.evidence.verdicts.saved import SavedVerdicts
from core.matrix.indexing import index
from core.matrix.matrix import Matrix
from core.sources.checkout import find_checkout
from tests.support.evidence import seen
from tui.app.start import settle_memory

_DAY = 86_400.0
_FIRST = 1_740_000_000.0
_ARCHS = ("n150", "p150")
_FILES = 20
"""Reports of one night: CI has one for each of its jobs."""


def main() -> int:
    """Print the numbers; exit code 1 where they are beyond the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--nights", type=int, default=500)
    parser.add_argument("--cells", type=int, default=4000, help="results of one night")
    parser.add_argument("--at-start", metavar="FILE", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--saved", metavar="FILE", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    matrix = index(find_checkout(args.checkout))
    # As in the app: the collector no longer looks at the matrix.
    settle_memory()
    if args.at_start:
        _print_start(matrix, args.at_start, args.saved)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        return _measure(matrix, Path(scratch), args)


def _measure(matrix: Matrix, scratch: Path, args: argparse.Namespace) -> int:
    store, saved = EvidenceStore(scratch / "evidence.sqlite"), SavedVerdicts(scratch / "verdicts.sqlite")
    begun = time.perf_counter()
    for first in range(0, args.nights, 10):
        store.add(
            [one for night in range(first, min(first + 10, args.nights)) for one in _night(matrix, night, args.cells)]
        )
    count = args.nights * args.cells
    print(f"{count:,} results in {args.nights} nights: stored in {time.perf_counter() - begun:.0f} s")
    size = store.file.stat().st_size / count
    print(f"the file: {size:.0f} bytes a result")
    anew, _ = _verdicts(matrix, store, saved)
    print(f"verdicts on all of them, none saved: {anew:.2f} s")
    again, _ = _verdicts(matrix, store, saved)
    print(f"verdicts at a start, nothing changed: {again:.2f} s")
    added = time.perf_counter()
    store.add(list(_night(matrix, args.nights, args.cells)))
    print(f"one nightly of {args.cells:,} more: stored in {time.perf_counter() - added:.2f} s")
    after, _ = _verdicts(matrix, store, saved)
    print(f"verdicts after it: {after:.2f} s")
    history = max(_seconds_for_test(store, id) for id in list(matrix.entries)[:200:10])
    print(f"history of one test, the slowest of 20: {history * 1000:.1f} ms")
    known, empty = (_at_start(args.checkout, file, scratch) for file in (store.file, scratch / "none.sqlite"))
    print(
        f"at a start: {known[0]:.2f} s and {known[1]:.0f} MiB, without results {empty[0]:.2f} s and {empty[1]:.0f} MiB"
    )
    limits = size <= 120, after <= 0.5, history <= 0.005, known[1] - empty[1] <= 20
    return int(not all(limits))


def _verdicts(matrix: Matrix, store: EvidenceStore, saved: SavedVerdicts) -> tuple[float, object]:
    begun = time.perf_counter()
    found = Verdicts(matrix, Results((), store), Policy(), None, saved).facts()
    return time.perf_counter() - begun, found


def _seconds_for_test(store: EvidenceStore, id: str) -> float:
    begun = time.perf_counter()
    assert store.of_test(id)
    return time.perf_counter() - begun


def _at_start(checkout: Path, file: Path, scratch: Path) -> tuple[float, float]:
    """Seconds and MiB of a process that asks for the verdicts on everything, as the app does in the background."""
    command = [sys.executable, "-m", "tests.bench.evidence_store", str(checkout), "--at-start", str(file)]
    out = subprocess.run(
        [*command, "--saved", str(scratch / "verdicts.sqlite")], capture_output=True, text=True, check=True
    )
    seconds, mib = map(float, out.stdout.split())
    return seconds, mib


def _print_start(matrix: Matrix, file: Path, saved: Path) -> None:
    took, _ = _verdicts(matrix, EvidenceStore(file), SavedVerdicts(saved))
    print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _night(matrix: Matrix, night: int, cells: int) -> Iterator[JUnitReport]:
    """The reports of one night: a tenth fails, a fifth was not run, each as it did the nights before, mostly."""
    chance = random.Random(night)
    ids = list(matrix.entries)
    results = [_result(ids[at // 2 % len(ids)], _ARCHS[at % 2], night, at, chance) for at in range(cells)]
    for number in range(_FILES):
        rows = results[number::_FILES]
        job = f"{_ARCHS[number % 2]}-job_{number}"
        source = f"/ci/nightly-{night}/test-reports-a1b2c3-1.{number}-{job}-{night * 100 + number}/report.xml"
        yield JUnitReport(
            f"{night}-{number}",
            source,
            f"nightly-{night}",
            1,
            False,
            False,
            _placed(rows, job, source, night),
            Counter(),
        )


def _placed(rows: Sequence[Observation], job: str, source: str, night: int) -> tuple[Observation, ...]:
    return tuple(replace(one, job=job, source=source, commit=f"{night:040x}") for one in rows)


def _result(id: str, arch: str, night: int, at: int, chance: random.Random) -> Observation:
    usual = (Ending.FAILED, Ending.NOT_RUN, Ending.NOT_RUN, *[Ending.PASSED] * 7)[at // 2 % 10]
    ending = chance.choice((Ending.FAILED, Ending.PASSED)) if chance.random() < 0.01 else usual
    when = _FIRST + night * _DAY + at % _FILES * 60.098002
    failed = ending is Ending.FAILED
    return seen(
        ending,
        test_id=id,
        arch=arch,
        when=when,
        run=f"nightly-{night}",
        host=f"host-{at % 12}",
        seconds=round(chance.uniform(1, 300), 3),
        pcc=chance.uniform(0.98, 1.0) if ending is Ending.PASSED else None,
        pcc_required=0.99,
        reason=f"Out of Memory: Not enough space to allocate {at} B DRAM buffer across 12 banks" if failed else "",
    )


if __name__ == "__main__":
    raise SystemExit(main())
