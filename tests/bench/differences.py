# SPDX-License-Identifier: Apache-2.0
"""What Triage reads where 1,000 and 10,000 tests differ from their entries: python -m tests.bench.differences CHECKOUT

The larger one may take twelve times as long: what is quadratic or repeated takes more. Times are of the processor.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from core.base.settings import HOME_VARIABLE, Settings, paths
from core.domain.model import BringupStatus, Status
from core.edits.pending import Pending
from core.evidence import Ending, Observation, evidence_store
from core.evidence.proposals import WorklistReader, worked_out
from core.matrix import Matrix, index, status_on
from core.sources import find_checkout
from tests.support.evidence import report, seen
from tui.session import Session
from tui.view_models import Shown, TriageBy, TriageItems, group_listed

_FEW, _MANY = 1_000, 10_000
_MOST_RATIO = 12.0
_LEAST_SHARE = 0.9
_NIGHTS, _DAY, _JOBS, _HOSTS = 4, 86_400.0, 12, 4
_ARCH = "n150"
_REASONS = (
    "Out of Memory: Not enough space to allocate {} B DRAM buffer across 12 banks",
    "failed to legalize operation 'ttir.sort' that was explicitly marked illegal, in line {}",
    "TT_FATAL: no kernel for {} tiles",
)
Found = TypeVar("Found")


def main() -> int:
    """Print the seconds; exit code 1 if they grow faster than the differences."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    matrix = index(find_checkout(parser.parse_args().checkout.resolve()))
    # The first one also pays for what a process reads once.
    _, few, many = (_measured(matrix, count) for count in (_FEW, _FEW, _MANY))
    ratio = many / few
    print(f"{_MANY:,} differences take {ratio:.1f} times as long as {_FEW:,}, at most {_MOST_RATIO:g}")
    return int(ratio > _MOST_RATIO)


def _measured(matrix: Matrix, count: int) -> float:
    """The seconds until so many differences are listed in groups."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        os.environ[HOME_VARIABLE] = home
        parts: dict[tuple[str, str], list[Observation]] = {}
        for row in _results(matrix, count):
            parts.setdefault((row.run, row.job), []).append(row)
        reports = (report(*rows, digest=" ".join(key), run=key[0]) for key, rows in parts.items())
        evidence_store(matrix.checkout, paths()).add(reports)
        session = Session.open(matrix, paths(), Settings())
        _ = session.workspace.ci
        reader = WorklistReader()
        read, items = _timed(lambda: _items(session, reader))
        seconds, rows = _timed(lambda: items.listed(Shown.ATTENTION, Pending()))
        grouped, _ = _timed(lambda: group_listed(rows, TriageBy.CAUSE, lambda id: id))
        decided = Pending(tuple(replace(one.plain, id=at) for at, one in enumerate(rows, 1) if one.ops))
        again, _ = _timed(lambda: items.listed(Shown.ATTENTION, decided))
        late = [seen(test_id=rows[0].test, arch=_ARCH, run="late", when=time.time(), **_end(0, passes=True))]
        evidence_store(matrix.checkout, paths()).add([report(*late, digest="late", run="late")])
        more, _ = _timed(lambda: _items(session, reader))
    if len(rows) < count * _LEAST_SHARE:
        raise SystemExit(
            f"only {len(rows):,} of {count:,} tests differ: the results are no longer what is to be measured"
        )
    print(f"{len(rows):,} differences: read in {read:.2f} s, in {more:.2f} s after one more result")
    print(f"  listed in {seconds * 1000:.0f} ms, in {again * 1000:.0f} ms once all are decided")
    print(f"  grouped in {grouped * 1000:.0f} ms")
    return read + seconds + grouped + again + more


def _items(session: Session, reader: WorklistReader) -> TriageItems:
    return TriageItems(worked_out(session.look().worklist_steps(reader)))


def _timed(work: Callable[[], Found]) -> tuple[float, Found]:
    before = time.process_time()
    found = work()
    return time.process_time() - before, found


def _results(matrix: Matrix, count: int) -> Iterator[Observation]:
    """Nights in whose last one so many tests turn; those that have an entry come first."""
    ids = sorted(
        (id for id in matrix.model_tests.ids if id not in matrix.strays), key=lambda id: id not in matrix.entries
    )
    began = time.time() - _NIGHTS * _DAY
    for number, id in enumerate(ids[:count]):
        status = status_on(matrix.entries.get(id), _ARCH)
        for night in range(_NIGHTS):
            passes = (status is Status.EXPECTED_PASSING) != (night == _NIGHTS - 1)
            place: dict[str, Any] = {
                "when": began + night * _DAY,
                "run": f"nightly-{night}",
                "host": f"f10cs{(number + night) % _HOSTS}",
                "job": f"job-{number % _JOBS}",
                "commit": f"{night:040x}",
                "expected": status,
            }
            yield seen(test_id=id, arch=_ARCH, **place, **_end(number, passes=passes))


def _end(number: int, *, passes: bool) -> Mapping[str, Any]:
    if passes:
        # What was required is not said: it would be another threshold than that of many entries.
        return {"ending": Ending.PASSED, "pcc": 0.9 + number % 99 / 1000}
    stage, reason = BringupStatus.FAILED_RUNTIME, _REASONS[number % len(_REASONS)].format(number * 1024)
    return {"ending": Ending.FAILED, "stage": stage, "reason": reason}


if __name__ == "__main__":
    raise SystemExit(main())
