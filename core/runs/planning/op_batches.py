# SPDX-License-Identifier: Apache-2.0
"""Op cases as runs: one for all cases of a request on one backend, so that torch is imported only once."""

import math
import os
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from core.base.errors import UsageError
from core.base.settings import Settings
from core.base.text import counted
from core.domain.model import Function
from core.runs.case_results import cases_left, read_case_results
from core.runs.planning.activate import NO_ACTIVATION, activation
from core.runs.planning.interpreter import find_interpreter
from core.runs.planning.kinds import OP_RUNS, op_kind
from core.runs.spec import RUN_VARIABLE, ResultFormat, RunSpec, new_token, run_id
from core.runs.store import RESULTS, RunRecord

BACKENDS = ("eager", "aot_eager", "inductor", "xla", "tt")
"""The offered backends; the plugin knows every one of dynamo's."""
_PLUGIN = "ttmatrix_payload.ops.plugin"
_CACHE_VARIABLE = "TORCHINDUCTOR_CACHE_DIR"
_CACHE = "inductor"
_GIB = 2**30
_NEWEST = 5


@dataclass(frozen=True, slots=True)
class OpRequest:
    """A request to run op cases."""

    root: Path
    """The checkout, or a directory in its place."""
    places: Sequence[Path]
    """Manifests, or directories of them."""
    ids: Sequence[str]
    """The ids of the cases, `model::case`."""
    manifests: Sequence[str]
    """The files of these cases, relative to `root`, or absolute."""
    dedupe: bool = True
    include_template: bool = False
    max_bytes: str = ""
    """Cases that need more memory are skipped; empty: they are errors if the machine has less than twice as much."""
    run_skipped: bool = False
    """Also run cases that the manifests skip, to see whether that is still necessary."""
    timeout: float = 0.0
    """Seconds for the batch; 0: no limit. Each case has its own limit."""


def plan_ops(
    request: OpRequest,
    backend: str,
    settings: Settings,
    *,
    runs: Path,
    cache: Path,
    environ: Mapping[str, str] = os.environ,
) -> RunSpec:
    """The run of all these cases on one backend, with its files below `runs`.

    Inductor's results are cached below `cache` for later runs, unless `environ` gives another place. Raises UsageError
    if there is nothing to run, TTMatrixError if the interpreter is missing.
    """
    if not request.ids:
        raise UsageError("No op case is selected", hint="`ttmatrix ops list` has them all.")
    if not 0 <= request.timeout < math.inf:
        raise UsageError(f"Not a time limit: {request.timeout}", hint="Give seconds, or 0 for no limit.")
    how = op_kind(backend)
    now, token = datetime.now(UTC), new_token()
    name = run_id(now, token)
    own = {} if environ.get(_CACHE_VARIABLE) else {_CACHE_VARIABLE: str(cache / _CACHE)}
    python = find_interpreter(request.root, settings)
    active = activation(request.root, python, environ) if how.needs_device else NO_ACTIVATION
    return RunSpec(
        run_id=name,
        test_id=batch_name(request.ids),
        function=Function.OP_CASE,
        kind=OP_RUNS,
        arch=backend,
        argv=tuple(_command(request, python, backend, runs.absolute() / name)),
        env={"PYTHONUNBUFFERED": "1", RUN_VARIABLE: name, **active.env, **how.environment, **own},
        paths=active.paths,
        cwd=request.root,
        timeout=request.timeout,
        created=now.isoformat(),
        nonce=token,
        slots=OP_RUNS,
        slot_count=how.slot_count(settings),
        report=ResultFormat.CASES,
        devices=how.devices(environ),
        memory=how.memory(settings),
        hang_timeout=settings.hang_timeout,
        log_limit=int(max(0.0, settings.log_gib) * _GIB),
        cases="\n".join(request.ids),
        manifests=tuple(dict.fromkeys(request.manifests)),
    )


def batch_name(ids: Sequence[str]) -> str:
    """The name of a batch in lists: the id of a single case, else the numbers of cases and models."""
    if len(ids) == 1:
        return ids[0]
    models = {id.partition("::")[0] for id in ids}
    of = next(iter(models)) if len(models) == 1 else counted(len(models), "model")
    return f"{counted(len(ids), 'op case')} of {of}"


def _command(request: OpRequest, python: Path, backend: str, artefacts: Path) -> list[str]:
    # The checkout's own configuration and conftest files define options of the same names.
    command = [str(python), "-m", "pytest", "-v", "-p", _PLUGIN, "-p", "no:cacheprovider", "--noconftest"]
    command += ["-c", os.devnull, f"--rootdir={artefacts}", f"--ops-json={artefacts / RESULTS}"]
    command += [f"--compile-backend={backend}", f"--cases-from={artefacts / 'spec.json'}"]
    command += [f"--ops-dir={place}" for place in request.places if place.is_dir()]
    command += [] if request.dedupe else ["--no-dedupe"]
    command += ["--include-template"] if request.include_template else []
    command += ["--run-skipped"] if request.run_skipped else []
    command += [f"--max-bytes={request.max_bytes}"] if request.max_bytes else []
    return [*command, *(str(place) for place in request.places if not place.is_dir())]


def with_cases(spec: RunSpec, ids: Sequence[str]) -> RunSpec:
    """The same run with only some of its cases."""
    return replace(spec, test_id=batch_name(ids), cases="\n".join(ids), estimate=None)


def left_of(record: RunRecord, later: Iterable[RunRecord], *, failures: bool, undone: bool) -> list[str]:
    """The cases of a run that failed, or that have no result; with neither flag, all.

    `later` are its reruns, oldest first: the last result of a case counts.
    """
    again = (one for rerun in later for one in read_case_results(rerun.directory))
    documents = [*read_case_results(record.directory), *again]
    return cases_left(record.spec, documents, failures=failures, undone=undone)


def with_op_estimates(specs: Sequence[RunSpec], records: Iterable[RunRecord]) -> list[RunSpec]:
    """`specs` of op cases with estimates from earlier runs on the same backend; `records` are newest first."""
    history: dict[str | None, list[float]] = {}
    for record in records:
        if record.spec.cases and record.seconds and not record.active:
            done = len(read_case_results(record.directory))
            seconds = history.setdefault(record.spec.arch, [])
            if done and len(seconds) < _NEWEST:
                seconds.append(record.seconds / done)
    return [
        replace(spec, estimate=statistics.median(history[spec.arch]) * len(spec.case_ids))
        if spec.cases and history.get(spec.arch)
        else spec
        for spec in specs
    ]
