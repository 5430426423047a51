# SPDX-License-Identifier: Apache-2.0
"""All runs, one directory each; the directories are the truth and nothing else is kept."""

import difflib
import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from core.errors import TTMatrixError, UsageError
from core.files import atomic_write, read_text
from core.proc import is_alive, own_identity, this_host
from core.runs.events import Event, Queued, append_event, read_events
from core.runs.record import RunRecord, RunState, fold, in_charge
from core.runs.spec import RunSpec, is_run_id, spec_from_json, spec_to_json

_SPEC = "spec.json"
_EVENTS = "events.jsonl"


def read_spec(directory: Path) -> RunSpec:
    """The spec of the run in `directory`. Raises TTMatrixError where it is missing or damaged."""
    return spec_from_json(read_text(directory / _SPEC))


def events_file(directory: Path) -> Path:
    """Where the events of the run in `directory` are appended."""
    return directory / _EVENTS


def read_record(directory: Path) -> RunRecord:
    """What became of the run in `directory`. Raises TTMatrixError where its spec is missing or damaged."""
    spec = read_spec(directory)
    events = read_events(events_file(directory))
    watched = _watched(events)
    if not watched:
        # It may have reported its end and gone between our two looks.
        events = read_events(events_file(directory))
    return fold(spec, directory, events, watched=watched)


def _watched(events: list[Event]) -> bool:
    charge = in_charge(events)
    # Of another machine's processes nothing can be known here, so we take their word.
    return charge is not None and (charge.host != this_host() or is_alive(charge.owner))


@dataclass(frozen=True, slots=True)
class Problem:
    """A run directory that cannot be read, and why."""

    directory: Path
    message: str


class RunStore:
    """The runs under `root`. Several processes may use one store at the same time."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self._finished: dict[str, RunRecord] = {}

    @property
    def slots(self) -> Path:
        """Directory of the locks that limit how many runs go on at a time on this machine."""
        return self.root / "slots" / this_host()

    def create(self, spec: RunSpec) -> Path:
        """Make the directory of a new run; it appears complete or not at all.

        Raises TTMatrixError where the run exists or the disk refuses.
        """
        directory = self.root / spec.run_id
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            staging = Path(tempfile.mkdtemp(prefix=".new-", dir=self.root))
            try:
                atomic_write(staging / _SPEC, spec_to_json(spec))
                append_event(staging / _EVENTS, Queued(time.time(), own_identity(), this_host()))
                # The system refuses to put a directory in the place of one that holds files.
                staging.rename(directory)
            finally:
                shutil.rmtree(staging, ignore_errors=True)
        except OSError as error:
            raise TTMatrixError(f"Cannot create run {spec.run_id}", error.strerror or str(error)) from error
        return directory

    def records(self) -> list[RunRecord]:
        """Every readable run, newest first."""
        return self.scan()[0]

    def scan(self) -> tuple[list[RunRecord], list[Problem]]:
        """Every run, newest first, and the run directories that cannot be read."""
        records: list[RunRecord] = []
        problems: list[Problem] = []
        for name in sorted(self._run_ids(), reverse=True):
            try:
                records.append(self._read(name))
            except TTMatrixError as error:
                problems.append(Problem(self.root / name, str(error)))
        return records, problems

    def record(self, run_id: str) -> RunRecord:
        """The run whose id is, or alone begins with, `run_id`. Raises UsageError where there is none."""
        ids = self._run_ids()
        found = [run_id] if run_id in ids else sorted(name for name in ids if run_id and name.startswith(run_id))
        if len(found) == 1:
            return self._read(found[0])
        if found:
            raise UsageError(f"{len(found)} runs begin with {run_id}", _few(found), "Give more of the id.")
        close = difflib.get_close_matches(run_id, ids, n=3, cutoff=0.5) or sorted(ids, reverse=True)[:3]
        hint = f"Closest: {_few(close)}." if close else "There are no runs yet."
        raise UsageError(f"No run {run_id}", f"Looked in {self.root}.", hint)

    def _run_ids(self) -> set[str]:
        try:
            return {entry.name for entry in os.scandir(self.root) if entry.is_dir() and is_run_id(entry.name)}
        except FileNotFoundError:
            return set()
        except OSError as error:
            raise TTMatrixError(f"Cannot read {self.root}", error.strerror or str(error)) from error

    def _read(self, name: str) -> RunRecord:
        if name in self._finished:
            return self._finished[name]
        record = read_record(self.root / name)
        if record.state is RunState.FINISHED:
            self._finished[name] = record
        return record


def _few(names: list[str]) -> str:
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
