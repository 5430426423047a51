# SPDX-License-Identifier: Apache-2.0
"""All evidence of one checkout, and what it says under the policy that holds there."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from core.evidence.ending_fields import stage_in
from core.evidence.observation import Ending, Observation, Origin, order
from core.evidence.perf_reports import PerfReports
from core.evidence.reports import Clues, Setting, observe, observe_cases, stand_in_of
from core.evidence.results import Results
from core.evidence.store import EvidenceStore, store_file
from core.evidence.verdicts import LoadedPolicy, OpVerdicts, SavedVerdicts, Verdicts, find_policy
from core.matrix import Matrix
from core.matrix.cache import Cache
from core.model import BringupStatus, Function
from core.numbers import duration, moment
from core.ops import OpTests
from core.providers import selected_jobs
from core.runs import Outcome, ResultFormat, Testcase, TreeReader, is_of_lost_code, own_runs, read_case_results
from core.runs.log import STAGES
from core.runs.store import RunRecord, RunState
from core.settings import Paths
from core.sources import Checkout

_STOPPED = (Outcome.CRASH, Outcome.HANG, Outcome.TIMEOUT)
_NO_RESULT = (Outcome.CANCELLED, Outcome.LOST)


def own_observations(
    records: Iterable[RunRecord], reader: TreeReader, *, cpu_counts: bool = False
) -> Iterator[Observation]:
    """What ended runs of a checkout show, but for those that ran on no device: they say nothing of one.

    With `cpu_counts`, which the policy of a sample sets, device runs that fell back to the CPU are counted in.

    Nor do runs of code that is neither committed nor in the work tree any more, such as an edit that was tried and
    taken back.
    """
    for record in records:
        spec = record.spec
        if spec.function is Function.HANDWRITTEN:
            # They are no cells, and `handwritten_observations` has them.
            continue
        if spec.cases:
            # Whether they are of a case as it is now is decided case by case.
            yield from () if record.active else own_case_observations(record)
            continue
        ended = record.state is RunState.FINISHED and record.outcome not in _NO_RESULT
        on_device = (
            spec.report is ResultFormat.JUNIT and spec.devices and spec.arch and (cpu_counts or not _ran_on_cpu(record))
        )
        if ended and on_device and not is_of_lost_code(record, reader):
            yield own_observation(record)


def own_case_observations(record: RunRecord) -> Iterator[Observation]:
    """What the op cases of one run show, also of one that was stopped before it was through."""
    setting = replace(_setting(record), commit=record.tree.commit if record.tree else "")
    return observe_cases(read_case_results(record.directory), setting)


def _ran_on_cpu(record: RunRecord) -> bool:
    """Whether our own runner had devices to itself and fell back to the CPU all the same."""
    result = record.result or {}
    return bool(stand_in_of([(str(result.get("backend") or ""), str(result.get("device") or ""))]))


def own_observation(record: RunRecord) -> Observation:
    """What one ended device run shows."""
    cause = str((record.result or {}).get("cause") or "")
    beside = Clues(cause, STAGES.get(record.stage, BringupStatus.UNKNOWN))
    seen = observe(_testcase(record), _setting(record), beside)
    assert seen is not None, "its name is that of a model test"
    if record.spec.profile:
        seen = replace(seen, profile=record.spec.profile)
    if record.tree is not None:
        seen = replace(seen, commit=record.tree.commit, models_commit=record.tree.models)
    if record.outcome in _STOPPED:
        # What pytest may have written down before is of no model that was ended.
        ending, reason = _stopped(record, cause)
        crashed = ending is Ending.CRASHED and beside.stage is BringupStatus.UNKNOWN
        stage = stage_in(reason) if crashed else beside.stage
        return replace(seen, ending=ending, stage=stage, reason=reason, signal=record.signal, pcc=None, raised="")
    return replace(seen, reason=cause) if seen.ending is Ending.BROKEN and not seen.reason else seen


def _stopped(record: RunRecord, cause: str) -> tuple[Ending, str]:
    """How a run ended that did not end well by itself, and the line that says why."""
    if record.outcome is Outcome.CRASH:
        return Ending.CRASHED, cause or record.summary
    # The log of what was stopped ends with what our own signal made it say.
    if record.outcome is Outcome.HANG:
        return Ending.HUNG, f"Test hangs: {record.spec.hang_timeout:g} s without output or work"
    return Ending.SLOW if record.at_work else Ending.OUT_OF_TIME, record.summary


def _testcase(record: RunRecord) -> Testcase:
    """What pytest reported of the run, as far as the run store has it."""
    result: Mapping[str, Any] = record.result or {}
    tags = result.get("tags")
    message = str(result.get("message") or record.summary)
    return Testcase(
        classname="",
        name=f"{record.spec.function}[{record.spec.test_id}]",
        outcome=record.outcome or Outcome.LOST,
        message=message,
        text=message,
        signal=record.signal,
        seconds=duration(record.seconds),
        properties={"error_message": str(result.get("error_message") or "")},
        tags=_with_numbers(tags) if isinstance(tags, Mapping) else {},
    )


def _with_numbers(tags: Mapping[str, Any]) -> Mapping[str, Any]:
    """The tags with the numbers that JSON cannot express, which are stored as texts."""
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
    """Where what reports say of hand-written tests is stored: they have no entries, and no verdicts wait for them."""
    file = store_file(paths.evidence, checkout.root)
    return EvidenceStore(file.with_name(f"{file.stem}-handwritten{file.suffix}"))


def handwritten_observations(
    checkout: Checkout, paths: Paths, records: Iterable[RunRecord], node_id: str
) -> list[Observation]:
    """What reports and runs here have shown of one hand-written test, newest first."""
    own = own_runs([one for one in records if one.spec.test_id == node_id], TreeReader(checkout))
    ended = (one for one in own if one.state is RunState.FINISHED and one.outcome not in _NO_RESULT)
    reported = handwritten_store(checkout, paths).of_test(node_id)
    return sorted([*reported, *map(own_observation, ended)], key=attrgetter("when"), reverse=True)


def policy_of(checkout: Checkout, paths: Paths) -> LoadedPolicy:
    """The policy that holds for `checkout`. Raises TTMatrixError where the file that says it has a mistake."""
    return find_policy(checkout.root, paths.policy_file)


def results_of(
    store: EvidenceStore, records: Iterable[RunRecord], checkout: Checkout, *, cpu_counts: bool = False
) -> Results:
    """What reports and runs of `checkout` have shown; `records` may be of other checkouts, too.

    `cpu_counts` is as for `own_observations`.
    """
    reader = TreeReader(checkout)
    own = own_observations(own_runs([*records], reader), reader, cpu_counts=cpu_counts)
    return Results(sorted(own, key=order), store)


def saved_verdicts(checkout: Checkout, paths: Paths) -> SavedVerdicts:
    """Where the verdicts on tests of `checkout` are cached."""
    return SavedVerdicts(store_file(paths.cache / "verdicts", checkout.root))


def verdicts_on(
    matrix: Matrix,
    cache: Cache,
    paths: Paths,
    records: Iterable[RunRecord],
    left_out: Collection[str] = (),
    op_tests: Callable[[], OpTests] | None = None,
) -> Verdicts:
    """What all evidence says of every cell, but for that of the machines in `left_out`.

    The jobs are worked out anew where that must be, which takes a while. `op_tests` reads the op cases, where there
    are results of any.
    """
    policy = policy_of(matrix.checkout, paths).policy
    counts = policy.cpu_counts_as_device
    known = results_of(evidence_store(matrix.checkout, paths), records, matrix.checkout, cpu_counts=counts)
    results = known.without(left_out)
    # What is asked without some machines is asked once.
    saved = None if left_out else saved_verdicts(matrix.checkout, paths)

    cases = (lambda: OpVerdicts(op_tests(), results.of_cases(), policy)) if op_tests else None
    return Verdicts(matrix, results, policy, selected_jobs(cache, matrix), saved, cases)


def performance_store(checkout: Checkout, paths: Paths) -> PerfReports:
    """The reports of performance that were read for a checkout."""
    return PerfReports(store_file(paths.state / "performance", checkout.root).with_suffix(".jsonl"))
