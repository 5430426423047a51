# SPDX-License-Identifier: Apache-2.0
"""The reports of performance in an artefact of CI, with the run, the job and the commit that they do not say."""

import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath

from core.base.errors import TTMatrixError
from core.base.text import one_line
from core.evidence.ci_runs import CiJob, CiRun
from core.evidence.perf_reports import PerfReport, RawReport, report_in
from core.evidence.reports import Problem, arch_in

MEMBER_BYTES = 16 * 2**20
"""The largest report: those of upstream have some kilobytes."""
_MEMBERS = 2_000
_UNREADABLE = (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, zlib.error, EOFError, ValueError)


@dataclass(frozen=True)
class Performance:
    """What an artefact says of performance."""

    reports: Sequence[PerfReport]
    problems: Sequence[Problem]


def read_performance(
    file: Path,
    source: str,
    run: CiRun,
    job: CiJob | None,
    archs: Sequence[str],
    test_of: Callable[[RawReport], str],
) -> Performance:
    """The reports in an archive. `test_of` gives the test of a report; empty: it is the name of its model."""
    reports: list[PerfReport] = []
    problems: list[Problem] = []
    for name, data in _members(file, source, problems):
        try:
            raw = report_in(data, file.with_suffix("") / name)
        except TTMatrixError as error:
            problems.append(Problem(f"{source}!{one_line(name)}", error.detail or error.title))
            continue
        if raw is not None:
            reports.append(_of_run(raw, run, job, archs, test_of))
    return Performance(reports, problems)


def _of_run(
    raw: RawReport, run: CiRun, job: CiJob | None, archs: Sequence[str], test_of: Callable[[RawReport], str]
) -> PerfReport:
    runner = (job.parts.runner, job.parts.mark) if job else ()
    machine = next((arch for text in (raw.device_type, *runner) if (arch := arch_in(text, archs))), "")
    arch = machine or raw.arch(archs) or raw.device_type
    test = raw.benchmark or test_of(raw) or raw.model
    report = raw.of_test(test, arch, (job.started if job else 0.0) or run.created)
    # Two nights may measure the same to the last digit: they are two reports.
    digest = sha256(f"{job.id if job else run.id} {report.digest}".encode()).hexdigest()
    return report._replace(
        digest=digest, run=run.name, job=job.url if job else run.url, commit=run.commit, benchmark=bool(raw.benchmark)
    )


def _members(file: Path, source: str, problems: list[Problem]) -> Iterator[tuple[str, bytes]]:
    """The JSON files of an archive; nothing is unpacked to the disk."""
    try:
        with zipfile.ZipFile(file) as archive:
            found = [one for one in archive.infolist() if one.filename.lower().endswith(".json")]
            for member in found[:_MEMBERS]:
                if member.file_size > MEMBER_BYTES:
                    what = f"refused: {member.file_size:,} bytes; at most {MEMBER_BYTES:,} are read"
                    problems.append(Problem(f"{source}!{one_line(member.filename)}", what))
                    continue
                with archive.open(member) as handle:
                    yield PurePosixPath(member.filename).name, handle.read(MEMBER_BYTES)
            if len(found) > _MEMBERS:
                problems.append(Problem(source, f"it holds {len(found):,} reports; {_MEMBERS:,} are read", partly=True))
    except _UNREADABLE as error:
        problems.append(Problem(source, f"not a readable archive: {error}"))
