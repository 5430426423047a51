# SPDX-License-Identifier: Apache-2.0
"""Upstream's performance reports (docs/rules.md 4.7): read them, and store them as JSON lines, a file per checkout."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from core.base.checked_numbers import finite
from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, decoded, parsed, plain, read_bytes
from core.base.locks import locked
from core.evidence.reports import arch_in
from core.matrix import BENCHMARK_KIND, row_id

_PATIENCE = 10.0
_OVERALL = ("total_samples", "total_time", "avg_time")
_SINGLE = "perf_time_"
_SPEED = "samples_per_sec"
CHIPS = {"wormhole": re.compile(r"n\d|.*\bwh\b"), "blackhole": re.compile(r"p\d|.*\bbh\b|.*\bblackhole")}
"""By the chip: the archs whose boards have it."""


class PerfReport(NamedTuple):
    """A report of timed runs, as it is stored."""

    digest: str
    """Digest of its bytes: a report that is read twice counts once."""
    test_id: str
    arch: str
    when: float
    """Seconds since the epoch: when its file was written, because the report gives no time."""
    source: str
    """The name of its file."""
    batch_size: int | None
    run_s: float | None
    """Seconds of one timed run, on average."""
    samples_per_s: float | None
    other: Mapping[str, float]
    """Measurements with other names, such as `ttft`, as written."""
    run: str = ""
    """The run of CI that it is of; empty: it was read from a file."""
    job: str = ""
    """The page of its job."""
    commit: str = ""
    benchmark: bool = False
    """`test_id` is the name of a benchmark, and no test of the matrix."""

    @property
    def row_id(self) -> str:
        """The id of the row that was timed."""
        return row_id(BENCHMARK_KIND, self.test_id) if self.benchmark else self.test_id


class RawReport(NamedTuple):
    """A report whose test is not known yet."""

    file: Path
    digest: str
    model: str
    """`model_info.name`."""
    run_mode: str
    parallelism: str
    device_arch: str
    """`wormhole` or `blackhole` in reports of tt-xla's runner: the chip, which several archs share."""
    batch_size: int | None
    numbers: Mapping[str, float]
    """Measurements by name; those that are missing (-1) are left out."""
    benchmark: str = ""
    """The name of the benchmark, in reports of one; empty: a model of the matrix was timed."""
    device_type: str = ""
    """The machine of a benchmark."""

    def arch(self, archs: Sequence[str], supported: Sequence[str] = ()) -> str:
        """The one of `archs` that ran it, by the report, the name of its CI artefact, or its chip; else the chip.

        Of the archs with its chip, it is the one of the test's `supported` archs, if that is one.
        """
        places = (self.device_arch, *reversed(self.file.absolute().parent.parts))
        named = next((arch for place in places if (arch := arch_in(place, archs))), "")
        chip = next((name for name in CHIPS if self.device_arch.lower().startswith(name)), "")
        having = [arch for arch in supported if chip and CHIPS[chip].match(arch)]
        return named or (having[0] if len(having) == 1 else chip or self.device_arch)

    def of_test(self, id: str, arch: str, when: float | None = None) -> PerfReport:
        """The report as one of a test on an arch; without a time, it has that of its file."""
        count, total, average = (self.numbers.get(name) for name in _OVERALL)
        speed = self.numbers.get(_SPEED) or (finite(count / total) if count and total else None)
        known = {_SPEED} | {name for name in self.numbers if name in _OVERALL or name.startswith(_SINGLE)}
        other = {name: value for name, value in self.numbers.items() if name not in known}
        when = self.file.stat().st_mtime if when is None else when
        return PerfReport(self.digest, id, arch, when, self.file.name, self.batch_size, average, speed, other)


def find_reports(paths: Iterable[Path]) -> Iterator[Path]:
    """Report files: those named, and those below named directories."""
    for path in paths:
        yield from sorted(path.rglob("*.json")) if path.is_dir() else (path,)


def read_report(file: Path) -> RawReport | None:
    """The report in a file; None: the JSON is something else. Raises TTMatrixError if it cannot be read."""
    try:
        data = read_bytes(file)
    except OSError as error:
        raise TTMatrixError(f"Cannot read {file}", error.strerror or str(error)) from error
    return report_in(data, file)


def report_in(data: bytes, file: Path) -> RawReport | None:
    """The report in the bytes of a file; None: the JSON is something else. Raises TTMatrixError if it is none."""
    try:
        raw = parsed(data)
    except Malformed as error:
        raise TTMatrixError(f"Cannot read {file}", str(error)) from error
    if not isinstance(raw, dict) or not isinstance(raw.get("measurements"), list) or "model" not in raw:
        return None
    config, device = _mapping(raw.get("config")), _mapping(raw.get("device_info"))
    batch = raw.get("batch_size")
    return RawReport(
        file,
        sha256(data).hexdigest(),
        str(config.get("model_info") or raw["model"]),
        str(config.get("run_mode") or ""),
        str(config.get("parallelism") or ""),
        str(device.get("device_arch") or ""),
        batch if type(batch) is int else None,
        dict(_measurements(raw["measurements"])),
        str(config.get("display_name") or ""),
        str(device.get("device_type") or ""),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _measurements(raw: Sequence[object]) -> Iterator[tuple[str, float]]:
    for one in raw:
        value = finite(one.get("value")) if isinstance(one, dict) else None
        # Missing values are -1 in these reports.
        if isinstance(one, dict) and value is not None and value >= 0:
            yield str(one.get("measurement_name")), value


class PerfReports:
    """The stored reports of a checkout."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def read(self) -> list[PerfReport]:
        """All of them, in the order they were added. Raises TTMatrixError for a file in another format."""
        if not self.file.is_file():
            return []
        try:
            return [decoded(line, PerfReport) for line in read_bytes(self.file, None).splitlines() if line]
        except Malformed as error:
            raise TTMatrixError(f"Cannot read {self.file}", str(error), "Move it away.") from error

    def add(self, reports: Iterable[PerfReport]) -> int:
        """Store the new ones; returns how many. Raises TTMatrixError if the file cannot be written.

        One of which only the chip was known is new if its arch is known now.
        """
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.file.with_suffix(".lock"), "storing reports of performance", wait=_PATIENCE):
            known = self.read()
            seen = {one.digest: one.arch for one in known}
            new = {one.digest: one for one in reports if _is_new(one, seen.get(one.digest))}
            if new:
                kept = [one for one in known if one.digest not in new]
                atomic_write(self.file, "".join(f"{json.dumps(plain(one))}\n" for one in (*kept, *new.values())))
        return len(new)


def _is_new(report: PerfReport, known_arch: str | None) -> bool:
    return known_arch is None or (known_arch in CHIPS and report.arch not in CHIPS)
