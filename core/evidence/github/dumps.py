# SPDX-License-Identifier: Apache-2.0
"""The programs that a job of CI has left: IR dumps among its artefacts, here already or to be fetched."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from core.evidence.ci_runs import CiRun
from core.evidence.github.actions import Actions, Artefact
from core.evidence.github.artefacts import artefact_directory, fetch_artefact
from core.evidence.github.transport import Transport


class Dump(NamedTuple):
    """An artefact of programs, and the directory where its files are or would be."""

    directory: Path
    artefact: Artefact

    @property
    def is_here(self) -> bool:
        return self.directory.is_dir()

    def fetch(self, transport: Transport, say: Callable[[int, int], None] = lambda done, of: None) -> None:
        """Have it here. `say` is called with how many bytes have come, of how many. Raises as `fetch_artefact` does."""
        if not self.is_here:
            fetch_artefact(transport, self.artefact, self.directory, say)


class OfJob(NamedTuple):
    """A job of CI, and the test that one is interested in."""

    run: CiRun
    job: int
    words: str
    """The name of the job, or the test."""
    test: str = ""
    """The id of a test; empty: all of the job."""

    @property
    def url(self) -> str:
        return f"{self.run.url}/job/{self.job}" if self.run.url else ""


def dumps_here(store: Path, run: CiRun, job: int) -> list[Dump]:
    """The dumps of a job that were fetched; `store` is the file of the evidence."""
    below = artefact_directory(store, run.repository, run.name, "x").parent
    names = sorted(one.name for one in below.iterdir() if one.is_dir()) if below.is_dir() else []
    # Nothing but the name is known of an artefact that is here.
    found = (Dump(below / name, Artefact(0, name, 0, False, "")) for name in names)
    return [one for one in found if _is_of(one.artefact, job)]


def dumps_of(actions: Actions, store: Path, run: CiRun, job: int) -> list[Dump]:
    """The dumps of a job that GitHub still has. Raises TTMatrixError."""
    found: Sequence[Artefact] = [one for one in actions.artefacts(run) if _is_of(one, job) and not one.expired]
    return [Dump(artefact_directory(store, run.repository, run.name, one.name), one) for one in found]


def _is_of(one: Artefact, job: int) -> bool:
    return one.holds_programs and one.job == job
