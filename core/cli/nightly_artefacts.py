# SPDX-License-Identifier: Apache-2.0
"""The artefacts of a run of CI: listed, and fetched on demand."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from core.base.errors import EXIT_FINDINGS, EXIT_OK, TTMatrixError, UsageError
from core.base.settings import Paths
from core.base.text import counted, one_line
from core.cli import records
from core.cli.context import Context
from core.cli.ingest_sources import retain_what_was_fetched
from core.evidence import CiRun, CiStore, evidence_store, store_file
from core.evidence.github import Actions, Artefact, Expired, artefact_directory, connect, fetch_artefact
from core.sources import Checkout

_SAID_SECONDS = 5.0


def show_artefacts(run: CiRun, wanted: str | None, context: Context) -> int:
    """Print the artefacts of a run; those whose name, job or id has the words `wanted` are fetched before."""
    if not run.repository:
        raise UsageError(f"Nobody knows the repository of {one_line(run.name)}", hint="Ingest it from GitHub again.")
    actions = Actions(connect(context.console.note), run.repository)
    names = {state.job.id: state.job.name for state in CiStore(evidence_store(*_place(context))).jobs(run.id)}
    found = sorted(actions.artefacts(run), key=lambda one: one.name)
    chosen = [one for one in found if wanted is None or _has(one, names.get(one.job or 0, ""), wanted)]
    if not chosen:
        raise UsageError(f"No artefact of {one_line(run.name)} has {wanted!r}", hint="--artefacts lists them.")
    failed = 0
    if wanted is not None:
        failed = sum(not _fetched(actions, run, one, context) for one in chosen)
        retain_what_was_fetched(context)
    _print(run, chosen, context)
    return EXIT_FINDINGS if failed else EXIT_OK


def _has(one: Artefact, job: str, wanted: str) -> bool:
    return wanted in (str(one.id), str(one.job)) or wanted in one.name or wanted in job


def _place(context: Context) -> tuple[Checkout, Paths]:
    return context.checkout, context.paths


def _directory(run: CiRun, one: Artefact, context: Context) -> Path:
    file = store_file(context.paths.evidence, context.checkout.root)
    return artefact_directory(file, run.repository, run.name, one.name)


def _fetched(actions: Actions, run: CiRun, one: Artefact, context: Context) -> bool:
    """Fetch one artefact; what cannot be had is named, and the others come all the same."""
    if one.expired:
        context.console.note(f"{one.name}: expired")
        return False
    try:
        fetch_artefact(actions.transport, one, _directory(run, one, context), _progress(one.name, context))
    except Expired:
        context.console.note(f"{one.name}: expired")
        return False
    except TTMatrixError as error:
        context.console.error(error)
        return False
    return True


def _progress(name: str, context: Context) -> Callable[[int, int], None]:
    """Says now and then how much has come, and how long the rest will take."""
    begun = said = time.monotonic()
    first: int | None = None

    def say(done: int, total: int) -> None:
        nonlocal said, first
        now = time.monotonic()
        first = done if first is None else first
        if now - said >= _SAID_SECONDS and done > first:
            said = now
            left = (now - begun) / (done - first) * max(0, total - done)
            rest = f" of {total:,}, {left:.0f} s left" if total else ""
            context.console.note(f"{name}: {done:,} bytes{rest}")

    return say


def _print(run: CiRun, found: Sequence[Artefact], context: Context) -> None:
    here = {one.id: _directory(run, one, context) for one in found}
    here = {id: directory for id, directory in here.items() if directory.is_dir()}
    if context.console.json:
        context.console.document(
            [
                records.NightArtefact(
                    id=one.id,
                    name=one.name,
                    bytes=one.bytes,
                    job=one.job,
                    expired=one.expired,
                    programs=one.holds_programs,
                    directory=str(here[one.id]) if one.id in here else None,
                )
                for one in found
            ]
        )
        return
    context.console.table(
        ("id", "bytes", "artefact", "here"),
        (
            (str(one.id), "expired" if one.expired else f"{one.bytes:,}", one.name, str(here.get(one.id, "")))
            for one in found
        ),
    )
    if any(one.id in here and one.holds_programs for one in found):
        context.console.note("ttmatrix ir list DIRECTORY lists the programs of a dump")
    context.console.note(counted(len(found), "artefact"))
