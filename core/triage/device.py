# SPDX-License-Identifier: Apache-2.0
"""One pytest invocation on a device for all tests that an edit concerns, and what its JUnit file says of each."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.errors import UsageError
from core.evidence.observation import Ending
from core.matrix.index import Matrix
from core.model import TestId, node_id
from core.runs.junit import Testcase, read_testcases
from core.runs.kinds import KINDS
from core.runs.outcome import Outcome, signal_name
from core.runs.plan import find_interpreter, plan_test
from core.runs.preflight import DEVICE_NODES, Level, Surroundings, preflight
from core.runs.spec import RunSpec
from core.runs.survey import Survey
from core.settings import Settings
from core.triage.outcomes import Observed

KIND = "device"
_FORKED = "--forked"
"""One test that crashes takes the others along, unless each has a process of its own."""

_ENDINGS = {
    Outcome.PASS: Ending.PASSED,
    Outcome.FAIL: Ending.FAILED,
    Outcome.CRASH: Ending.CRASHED,
    Outcome.ERROR: Ending.BROKEN,
    Outcome.SKIP: Ending.NOT_RUN,
    Outcome.XFAIL: Ending.NOT_RUN,
}
_NUMBERS = ("PCC", "pcc=", "atol", "Tensor mismatch", "comparison failed")


def plan_device(matrix: Matrix, ids: Sequence[str], settings: Settings, *, runs: Path, arch: str) -> RunSpec:
    """One run of all of `ids`, in the name of the first. Raises as `plan_test` does."""
    spec = plan_test(matrix, ids[0], settings, runs=runs, kind=KIND, arch=arch)
    own = _node(ids[0])
    nodes = [_node(id) for id in ids]
    argv = [word for one in spec.argv for word in (nodes if one == own else [one])]
    return replace(spec, argv=tuple(argv))


def with_forks(spec: RunSpec, versions: Survey) -> RunSpec:
    """The same with a process for each test, where pytest can do that."""
    can = versions.versions is not None and versions.versions.get("pytest_forked") is not None
    if not can or _FORKED in spec.argv:
        return spec
    at = spec.argv.index("--force-run")
    return replace(spec, argv=(*spec.argv[:at], _FORKED, *spec.argv[at:]))


def missing_device(spec: RunSpec, around: Surroundings) -> str:
    """Why the run cannot be made here; empty: it can."""
    kind = KINDS[KIND]
    blockers = [one.what for one in preflight(kind, [spec], around) if one.level is Level.BLOCKER]
    if kind.needs_device and not (DEVICE_NODES.is_dir() and any(DEVICE_NODES.iterdir())):
        blockers.append(f"there is no device at {DEVICE_NODES}")
    return "; ".join(blockers)


def read_device_result(file: Path, ids: Sequence[str]) -> list[dict[str, str]]:
    """The answer to `RunDevice` from a JUnit file. Raises TTMatrixError for a file that cannot be read.

    Raises UsageError where it mentions none of `ids`.
    """
    cases = {case.name: case for case in read_testcases(file)}
    found = [(id, cases.get(f"{function_of(id)}[{id}]")) for id in ids]
    if not any(case for _, case in found):
        wanted = "\n".join(f"  {id}" for id in ids)
        raise UsageError(f"{file} is about other tests", f"It mentions none of:\n{wanted}")
    return [_observed(id, case).to_fields() for id, case in found]


def find_python(matrix: Matrix, settings: Settings) -> Path:
    """The interpreter that device runs use."""
    return find_interpreter(matrix.checkout.root, settings)


def function_of(id: str) -> str:
    """The test function that runs `id`."""
    parsed = TestId.parse(id)
    return str(parsed.function) if parsed else ""


def _node(id: str) -> str:
    parsed = TestId.parse(id)
    return node_id(parsed.function, id) if parsed else id


def _observed(id: str, case: Testcase | None) -> Observed:
    if case is None:
        return Observed(id, Ending.NOT_RUN)
    ending = _ENDINGS.get(case.outcome, Ending.BROKEN)
    if case.outcome is Outcome.CRASH:
        word = f"crashed with {signal_name(case.signal)}" if case.signal else case.message
        return Observed(id, ending, word)
    reason = f"{case.message}\n{case.text}".strip()
    if ending is Ending.FAILED and any(word in case.message for word in _NUMBERS):
        ending = Ending.INACCURATE
    return Observed(id, ending, reason)
