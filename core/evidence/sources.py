# SPDX-License-Identifier: Apache-2.0
"""All evidence of one checkout, and the verdicts on it under the checkout's policy."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from core.base.checked_numbers import duration, moment
from core.base.settings import Paths
from core.domain.model import BringupStatus
from core.evidence.ending_fields import stage_in
from core.evidence.observation import Ending, Observation, Origin, order
from core.evidence.perf_reports import PerfReports
from core.evidence.reports import Setting, Signals, observe, observe_cases, stand_in_of
from core.evidence.results import Results
from core.evidence.store import EvidenceStore, file_beside, store_file
from core.evidence.verdicts import LoadedPolicy, SavedVerdicts, find_policy
from core.runs import (
    FAILURES,
    Outcome,
    ResultFormat,
    Testcase,
    TreeReader,
    is_of_lost_code,
    own_runs,
    read_case_results,
)
from core.runs.log import STAGES
from core.runs.store import RunRecord, RunState
from core.sources import Checkout

_STOPPED = (Outcome.CRASH, Outcome.HANG, Outcome.TIMEOUT)
_NO_RESULT = (Outcome.CANCELLED, Outcome.LOST)


def own_observations(
    records: Iterable[RunRecord], reader: TreeReader, *, cpu_counts: bool = False
) -> Iterator[Observation]:
    """The results of ended runs of a checkout, without runs that used no device: they say nothing about one.

    With `cpu_counts`, which the policy of the sample checkout sets, device runs that fell back to the CPU are included.

    Runs of code that is neither committed nor still in the work tree, such as an edit that was undone, are left out.
    """
    for record in records:
        spec = record.spec
        if _has_no_cell(record):
            # They belong to no cell; `handwritten_observations` has them.
            continue
        if spec.cases:
            # Whether a result still belongs to the present case is decided for each case.
            yield from () if record.active else own_case_observations(record)
            continue
        ended = record.state is RunState.FINISHED and record.outcome not in _NO_RESULT
        on_device = (
            spec.report is ResultFormat.JUNIT and spec.devices and spec.arch and (cpu_counts or not _ran_on_cpu(record))
        )
        if ended and on_device and not is_of_lost_code(record, reader):
            yield own_observation(record)


def own_case_observations(record: RunRecord) -> Iterator[Observation]:
    """The results of the op cases in one run, even if the run was stopped before its end."""
    setting = replace(_setting(record), commit=record.tree.commit if record.tree else "")
    return observe_cases(read_case_results(record.directory), setting)


def _ran_on_cpu(record: RunRecord) -> bool:
    """Whether our own runner was meant to use devices and fell back to the CPU."""
    said = record.said
    return bool(stand_in_of([(said.backend, said.device)]))


def own_observation(record: RunRecord) -> Observation:
    """The result of one ended device run."""
    cause = record.said.cause
    beside = Signals(cause, STAGES.get(record.stage, BringupStatus.UNKNOWN))
    seen = observe(_testcase(record), _setting(record), beside)
    assert seen is not None, "its name is that of a model test"
    if record.spec.profile:
        seen = replace(seen, profile=record.spec.profile)
    if record.tree is not None:
        seen = replace(seen, commit=record.tree.commit, models_commit=record.tree.models)
    if record.outcome in _STOPPED:
        # Properties that pytest wrote before are not about the model that was ended.
        ending, reason = _stopped(record, cause)
        crashed = ending is Ending.CRASHED and beside.stage is BringupStatus.UNKNOWN
        stage = stage_in(reason) if crashed else beside.stage
        return replace(seen, ending=ending, stage=stage, reason=reason, signal=record.signal, pcc=None, raised="")
    # Runs of earlier versions have none.
    reason = record.reason if record.outcome in FAILURES else ""
    return replace(seen, reason=reason or seen.reason or (cause if seen.ending is Ending.BROKEN else ""))


def _stopped(record: RunRecord, cause: str) -> tuple[Ending, str]:
    """The ending of a run that did not end properly, and the line that gives the cause."""
    if record.outcome is Outcome.CRASH:
        return Ending.CRASHED, record.reason or cause or record.summary
    # The log of a stopped run ends with messages caused by our own signal.
    if record.outcome is Outcome.HANG:
        return Ending.HUNG, record.reason
    return Ending.SLOW if record.at_work else Ending.OUT_OF_TIME, record.summary


def _testcase(record: RunRecord) -> Testcase:
    """pytest's report of the run, as far as the run store has it."""
    said = record.said
    message = said.message or record.summary
    return Testcase(
        classname="",
        name=f"{record.spec.function}[{record.spec.test_id}]",
        outcome=record.outcome or Outcome.LOST,
        message=message,
        text=message,
        signal=record.signal,
        seconds=duration(record.seconds),
        properties={"error_message": said.error_message},
        tags=_with_numbers(said.tags),
    )


def _with_numbers(tags: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tags with NaN and infinities, which JSON cannot express and which are stored as texts, as numbers."""
    return {name: float(value) if value in ("nan", "inf", "-inf") else value for name, value in tags.items()}


def _setting(record: RunRecord) -> Setting:
    spec = record.spec
    return Setting(
        run=spec.batch or spec.run_id,
        arch=spec.arch or "",
        when=moment(record.started) or 0.0,
        host=record.host or "",
        job=spec.run_id,
        source=str(record.directory),
        origin=Origin.HERE,
    )


def evidence_store(checkout: Checkout, paths: Paths) -> EvidenceStore:
    """Where reports about `checkout` are stored."""
    return EvidenceStore(store_file(paths.evidence, checkout.root))


def handwritten_store(checkout: Checkout, paths: Paths) -> EvidenceStore:
    """The store of reports about hand-written tests, a separate one because these have no entries and no verdicts."""
    return EvidenceStore(file_beside(store_file(paths.evidence, checkout.root)))


def handwritten_observations(
    checkout: Checkout, paths: Paths, records: Iterable[RunRecord], node_id: str
) -> list[Observation]:
    """The results of one hand-written test from reports and local runs, newest first."""
    own = own_runs([one for one in records if one.spec.test_id == node_id], TreeReader(checkout))
    ended = (one for one in own if one.state is RunState.FINISHED and one.outcome not in _NO_RESULT)
    reported = handwritten_store(checkout, paths).of_test(node_id)
    return sorted([*reported, *map(own_observation, ended)], key=attrgetter("when"), reverse=True)


def _has_no_cell(record: RunRecord) -> bool:
    """Whether a run is of a test beside the matrix."""
    return record.spec.function.beside_models


def handwritten_results(checkout: Checkout, paths: Paths, records: Iterable[RunRecord]) -> Results:
    """All results of tests beside the matrix, from reports and local runs."""
    own = own_runs([*filter(_has_no_cell, records)], TreeReader(checkout))
    ended = (one for one in own if one.state is RunState.FINISHED and one.outcome not in _NO_RESULT)
    return Results(sorted(map(own_observation, ended), key=order), handwritten_store(checkout, paths))


def policy_of(checkout: Checkout, paths: Paths) -> LoadedPolicy:
    """The policy of `checkout`. Raises TTMatrixError if its file has a mistake."""
    return find_policy(checkout.root, paths.policy_file)


def results_of(
    store: EvidenceStore, records: Iterable[RunRecord], checkout: Checkout, *, cpu_counts: bool = False
) -> Results:
    """The results of `checkout` from reports and local runs; `records` may include other checkouts.

    For `cpu_counts` see `own_observations`.
    """
    reader = TreeReader(checkout)
    own = own_observations(own_runs([*records], reader), reader, cpu_counts=cpu_counts)
    return Results(sorted(own, key=order), store)


def saved_verdicts(checkout: Checkout, paths: Paths) -> SavedVerdicts:
    """Where the verdicts on tests of `checkout` are cached."""
    return SavedVerdicts(store_file(paths.cache / "verdicts", checkout.root))


def performance_store(checkout: Checkout, paths: Paths) -> PerfReports:
    """The performance reports that were read for a checkout."""
    return PerfReports(store_file(paths.state / "performance", checkout.root).with_suffix(".jsonl"))
