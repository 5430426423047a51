# SPDX-License-Identifier: Apache-2.0
"""What two million results cost: python -m tests.bench.evidence_store CHECKOUT"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from core.base.settings import paths
from core.ci import Selected
from core.evidence import Ending, Observation, Results, store_file
from core.evidence.reports import JUnitReport
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import Policy, SavedVerdicts, Verdicts
from core.matrix import Matrix, index
from core.matrix.cache import Cache
from core.providers import selected_jobs
from core.sources import find_checkout
from tests.bench.frames import FrameTerminal
from tests.support.evidence import seen
from tui.app.start import settle_memory

_DAY = 86_400.0
_FIRST = 1_740_000_000.0
_ARCHS = ("n150", "p150")
_FILES = 20
"""The tests of one night start at so many different moments."""
_GONE = 100
"""One in so many cells is gone from the reports of the last night."""
_STARTS = 5
_SETTLE = 5.0
"""The app is at rest after this many seconds without a frame."""
_STRIP = b" pcc ."
"""Text that the detail pane shows only for a test with results."""


def main() -> int:
    """Print the numbers; exit code 1 if they exceed the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--nights", type=int, default=500)
    parser.add_argument("--cells", type=int, default=4000, help="results of one night")
    parser.add_argument("--scratch", metavar="DIR", type=Path, help="where the store is made, or is from a run before")
    args = parser.parse_args()
    matrix = index(find_checkout(args.checkout))
    with tempfile.TemporaryDirectory() as cache:
        selected = selected_jobs(Cache(matrix.checkout, Path(cache)), matrix)
    # As in the app: the collector no longer visits the matrix.
    settle_memory()
    with tempfile.TemporaryDirectory() as scratch:
        return _measure(
            matrix, selected, _built(matrix, selected, args.scratch or Path(scratch), args), Path(scratch), args
        )


def _built(matrix: Matrix, selected: Selected, directory: Path, args: argparse.Namespace) -> Path:
    """A store of `args.nights` nights."""
    file = directory / f"evidence-{args.nights}x{args.cells}.sqlite"
    if file.exists():
        return file
    begun, part = time.process_time(), file.with_suffix(".part")
    directory.mkdir(parents=True, exist_ok=True)
    for first in range(0, args.nights, 10):
        nights = range(first, min(first + 10, args.nights))
        EvidenceStore(part).add([one for night in nights for one in _night(matrix, selected, night, args.cells)])
    print(f"{args.nights * args.cells:,} results: made and stored in {time.process_time() - begun:.0f} s of CPU")
    return part.rename(file)


def _measure(matrix: Matrix, selected: Selected, built: Path, scratch: Path, args: argparse.Namespace) -> int:
    count = args.nights * args.cells
    store, saved = EvidenceStore(scratch / "evidence.sqlite"), SavedVerdicts(scratch / "verdicts.sqlite")
    shutil.copyfile(built, store.file)
    size = store.file.stat().st_size / count
    print(f"the file: {size:.0f} bytes a result")
    anew, _ = _verdicts(matrix, selected, store, saved)
    print(f"verdicts on all of them, none saved: {anew:.2f} s")
    again, _ = _verdicts(matrix, selected, store, saved)
    print(f"verdicts at a start, nothing changed: {again:.2f} s")
    added = time.process_time()
    store.add(list(_night(matrix, selected, args.nights, args.cells, gone=_GONE)))
    print(f"one nightly of {args.cells:,} more: stored in {time.process_time() - added:.2f} s")
    after, _ = _verdicts(matrix, selected, store, saved)
    print(f"verdicts after it: {after:.2f} s")
    ids = list(matrix.entries)[10:210:10]
    first = median(_seconds_for_test(EvidenceStore(store.file), id) for id in ids)
    history = median(_seconds_for_test(store, id) for id in ids)
    results = len(store.of_test(ids[0]))
    print(
        f"history of one test, {results:,} results: {history * 1000:.1f} ms, the first of a process {first * 1000:.1f}"
    )
    seconds, mib = _start(matrix, args.checkout, store.file, scratch)
    print(f"start of the app, of one without results: {seconds:.3f} of its processor time, {mib:+.0f} MiB")
    limits = size <= 120, after <= 0.5, history <= 0.005, seconds <= 1.05, mib <= 20
    return int(not all(limits))


def _verdicts(matrix: Matrix, selected: Selected, store: EvidenceStore, saved: SavedVerdicts) -> tuple[float, object]:
    begun = time.process_time()
    found = Verdicts(matrix, Results((), store), Policy(), selected, saved).facts()
    return time.process_time() - begun, found


def _seconds_for_test(store: EvidenceStore, id: str) -> float:
    begun = time.process_time()
    assert store.of_test(id)
    return time.process_time() - begun


def _start(matrix: Matrix, checkout: Path, file: Path, scratch: Path) -> tuple[float, float]:
    """Processor time to the first frame as a ratio, and additional MiB at rest, with `file` compared to without it."""
    os.environ["TTMATRIX_HOME"] = str(scratch / "home")
    place = store_file(paths().evidence, matrix.checkout.root)
    place.parent.mkdir(parents=True)
    argv = [sys.executable, "-m", "tui", "--repo", str(checkout)]
    samples: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    for known in (True, False) * (_STARTS + 1):
        if known:
            place.hardlink_to(file)
        with FrameTerminal(argv, settle=_SETTLE) as terminal:
            samples[known].append((terminal.first_frame.processor, terminal.memory_mb))
            assert (_STRIP in terminal.painted) is known, "the app is not on the store that was made for it"
        place.unlink(missing_ok=True)
    # The first start of each fills the caches.
    without, with_results = ([median(one) for one in zip(*samples[known][1:], strict=True)] for known in (False, True))
    return with_results[0] / without[0], with_results[1] - without[1]


def _night(matrix: Matrix, selected: Selected, night: int, cells: int, gone: int = 0) -> Iterator[JUnitReport]:
    """The reports of one night: a tenth fails, a fifth was not run; most results repeat those of earlier nights.

    One in `gone` cells has no result; 0: none.
    """
    chance = random.Random(night)
    ids = [id for id in matrix.entries if id in matrix.rows]
    by_job: dict[str, list[Observation]] = {}
    for at in range(cells):
        if gone and at % gone == 0:
            continue
        id, arch = ids[at // 2 % len(ids)], _ARCHS[at % 2]
        by_job.setdefault(_job_of(matrix, selected, id, arch), []).append(_result(id, arch, night, at, chance))
    for number, (job, rows) in enumerate(by_job.items()):
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


def _job_of(matrix: Matrix, selected: Selected, id: str, arch: str) -> str:
    """The artefact of the first scheduled job that selects a cell."""
    marks = (job.test_mark for job in selected.of(matrix.rows[id]) if job.runs_on == arch)
    return f"{arch}-{next(marks, 'no job').replace(' ', '_')}"


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
        host=f"host-{at % _FILES % 12}",
        seconds=round(chance.uniform(1, 300), 3),
        pcc=chance.uniform(0.98, 1.0) if ending is Ending.PASSED else None,
        pcc_required=0.99,
        reason=f"Out of Memory: Not enough space to allocate {at} B DRAM buffer across 12 banks" if failed else "",
    )


if __name__ == "__main__":
    raise SystemExit(main())
