# SPDX-License-Identifier: Apache-2.0
"""Artefacts of a repository as reports: each is downloaded and read once, also across an interruption."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.errors import TTMatrixError
from core.evidence.github.actions import Actions, Artefact, Wanted, WorkflowRun
from core.evidence.github.transport import Expired
from core.evidence.reports import Problem, Reading, ReadOptions, find_documents, read_report
from core.files import Malformed, atomic_write, decoded, read_text
from core.locks import locked
from core.runs import UnreadableReport

_MOST_BYTES = 2 * 2**30
"""The largest archive that is downloaded."""
_SLACK_BYTES = 2**20


@dataclass
class Gathered:
    """Numbers of artefacts."""

    runs: list[str] = field(default_factory=list)
    downloaded: int = 0
    known: int = 0
    """Artefacts that were read before."""
    expired: int = 0
    other: int = 0
    """Artefacts whose names are not those of JUnit files: they were not downloaded."""


class _Done:
    """The artefacts that were read before, in a file beside the store."""

    def __init__(self, file: Path) -> None:
        self._file = file
        try:
            self.ids = set(decoded(read_text(file), list[int])) if file.exists() else set()
        except (TTMatrixError, Malformed):
            # Everything in it can be downloaded again.
            self.ids = set()

    def add(self, id: int) -> None:
        self.ids.add(id)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(self._file, json.dumps(sorted(self.ids)))


def fetch_reports(
    actions: Actions,
    wanted: Wanted,
    done_file: Path,
    found: Gathered,
    given: ReadOptions,
    archs: Sequence[str],
    models_commit: Callable[[str], str] = lambda commit: "",
) -> Iterator[Reading]:
    """Read every new artefact with JUnit files; asking for the next one marks the last one as stored.

    After an interruption, the next call continues after the last one that was stored. `models_commit` gives the commit
    of the submodule for one of tt-xla. Raises TTMatrixError if GitHub does not answer.
    """
    scratch = done_file.with_suffix(".part")
    with locked(done_file.with_suffix(".lock"), "ingest from GitHub", wait=0), _removed(scratch):
        yield from _fetch(actions, wanted, _Done(done_file), scratch, found, given, archs, models_commit)


@contextmanager
def _removed(directory: Path) -> Iterator[None]:
    """Remove `directory` before the block (a killed process may have left it) and after it."""
    shutil.rmtree(directory, ignore_errors=True)
    try:
        yield
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _fetch(
    actions: Actions,
    wanted: Wanted,
    done: _Done,
    scratch: Path,
    found: Gathered,
    given: ReadOptions,
    archs: Sequence[str],
    models_commit: Callable[[str], str],
) -> Iterator[Reading]:
    for run in actions.runs(wanted):
        found.runs.append(run.name)
        commit = given.commit or run.commit
        here = replace(given, commit=commit, models_commit=given.models_commit or models_commit(commit))
        for artefact in actions.artefacts(run):
            if not artefact.holds_reports:
                found.other += 1
            elif artefact.id in done.ids:
                found.known += 1
            elif artefact.expired or (reading := _downloaded(actions, run, artefact, scratch, here, archs)) is None:
                found.expired += 1
            else:
                found.downloaded += 1
                yield reading
                # What is no archive now may be one the next time.
                if reading.reports or not reading.problems:
                    done.add(artefact.id)


def _downloaded(
    actions: Actions, run: WorkflowRun, artefact: Artefact, scratch: Path, given: ReadOptions, archs: Sequence[str]
) -> Reading | None:
    """Download one artefact and read it; None: it has expired."""
    # Laid out as a person would do it: the directory is the run, and the name of the archive gives the job.
    file = scratch / run.name / f"{artefact.name}.zip"
    with _removed(scratch):
        file.parent.mkdir(parents=True)
        # The size that GitHub reports is either that of the archive or that of its content.
        most = min(2 * artefact.bytes + _SLACK_BYTES, _MOST_BYTES)
        try:
            actions.transport.download(artefact.address, file, most)
        except Expired:
            return None
        address = f"https://github.com/{actions.repository}/actions/runs/{run.id}"
        return _read(file, str(scratch), address, given, archs)


def _read(file: Path, scratch: str, address: str, given: ReadOptions, archs: Sequence[str]) -> Reading:
    """The reports in an archive; their source is the page of the run, because the local path is temporary."""
    reports, problems = [], []
    for one in find_documents([file]):
        if isinstance(one, Problem):
            problems.append(replace(one, file=one.file.replace(scratch, address)))
            continue
        parts = one.parts[len(Path(scratch).parts) :]
        document = replace(one, source=one.source.replace(scratch, address), parts=parts, alone=False)
        try:
            reports.append(read_report(document, given, archs))
        except UnreadableReport as error:
            problems.append(Problem(document.source, error.problem))
    return Reading(tuple(reports), tuple(problems))
