# SPDX-License-Identifier: Apache-2.0
"""One pytest invocation on a device for all tests that an edit concerns."""

import hashlib
import re
import shlex
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from core.base.errors import TTMatrixError, UsageError
from core.base.files import read_bytes
from core.base.settings import Settings
from core.domain.ids import TestId
from core.domain.model import node_id
from core.evidence import Ending, own_observation
from core.evidence.reports import Setting, Signals, observe
from core.matrix import Matrix
from core.runs import (
    RUN_VARIABLE,
    CutReport,
    Outcome,
    RunSpec,
    Testcase,
    deciding_case,
    file_chunks,
    read_testcases,
    shell_command,
    stream_testcases,
)
from core.runs.log import LogFile, cause_line, parts_of
from core.runs.planning import (
    DEVICE_NODES,
    FORKED,
    Level,
    Surroundings,
    Survey,
    forking_fault,
    kind_for,
    plan_test,
    preflight,
)
from core.runs.store import JUNIT, LOG, RunRecord
from core.workflows.outcomes import DeviceResult

KIND = "device"
_JUNIT = "--junitxml="
_CODE = "pytest-of-code-"
_CODE_NAME = re.compile(rf"{_CODE}([0-9a-f]{{64}})")


def plan_device(matrix: Matrix, ids: Sequence[str], settings: Settings, *, runs: Path, arch: str) -> RunSpec:
    """Plan one run of all `ids`, named after the first. Raises as `plan_test` does."""
    spec = plan_test(matrix, ids[0], settings, runs=runs, kind=KIND, arch=arch)
    own = _node(ids[0])
    nodes = [_node(id) for id in ids]
    argv = [word for one in spec.argv for word in (nodes if one == own else [one])]
    return replace(spec, argv=tuple(argv))


def with_forks(spec: RunSpec, versions: Survey) -> RunSpec:
    """The same run with one process per test, if pytest can do that: a crash then does not end the other tests."""
    can = versions.versions is not None and versions.versions.get("pytest_forked") is not None
    if not can or forking_fault(versions.versions) or FORKED in spec.argv:
        return spec
    at = spec.argv.index("--force-run")
    return replace(spec, argv=(*spec.argv[:at], FORKED, *spec.argv[at:]))


def missing_device(spec: RunSpec, around: Surroundings, settings: Settings) -> str:
    """Why the run is not possible here; empty if it is. A CPU does not count: it proves nothing about a device."""
    kind = kind_for(KIND, around.checkout, settings)
    blockers = [one.what for one in preflight(kind, [spec], around) if one.level is Level.BLOCKER]
    if not (DEVICE_NODES.is_dir() and any(DEVICE_NODES.iterdir())):
        blockers.append(f"there is no device at {DEVICE_NODES}")
    elif not spec.devices:
        blockers.append(f"the backend {settings.backend!r} of ttmatrix's own runner uses no device")
    return "; ".join(blockers)


def by_hand(spec: RunSpec, report: Path, code: Sequence[str]) -> str:
    """The shell line that makes the run and leaves its JUnit file at `report`; the run is not recorded in the store.

    The name of the testsuite is a digest of the files `code`, relative to the checkout, as the shell finds them.
    """
    argv = [f"{_JUNIT}{report}" if word.startswith(_JUNIT) else word for word in spec.argv]
    env = {name: value for name, value in spec.env.items() if name != RUN_VARIABLE}
    line = shell_command(replace(spec, argv=tuple(argv), env=env))
    name = f"{_CODE}$(cat -- {shlex.join(code)} | sha256sum | cut -c 1-64)"
    # Lines that are pasted after it are not for the test to read.
    return f'{line} -o junit_suite_name="{name}" </dev/null'


def refuse_other_code(file: Path, root: Path, code: Sequence[str]) -> None:
    """Raise UsageError if the JUnit file of `by_hand` was made when one of the files `code` was different.

    A file made in another way does not say so.
    """
    suites: set[str] = set()
    with suppress(CutReport):
        suites.update(session.suite for session, _ in stream_testcases(file_chunks(file), str(file)))
    made_on = {found[1] for suite in suites if (found := _CODE_NAME.fullmatch(suite))}
    if made_on - {_digest(root, code)}:
        raise UsageError(
            f"{file} is the result of other code",
            f"It was made when one of these was not as this workflow has it: {', '.join(code)}. Nothing was changed.",
            "Paste the printed steps once more, in their order.",
        )


def _digest(root: Path, code: Sequence[str]) -> str:
    try:
        return hashlib.sha256(b"".join(read_bytes(root / path) for path in code)).hexdigest()
    except OSError as error:
        raise TTMatrixError(f"Cannot read {error.filename}", error.strerror or str(error)) from error


def _node(id: str) -> str:
    parsed = TestId.parse(id)
    return node_id(parsed.function, id) if parsed else id


_FAILURES = (Outcome.FAIL, Outcome.ERROR)
_ENDED = (Outcome.CRASH, Outcome.HANG, Outcome.TIMEOUT)
_LOG_BYTES = 8 * 1024 * 1024


def read_device_run(record: RunRecord, ids: Sequence[str]) -> list[dict[str, str]]:
    """The answer to `RunDevice` from a run of `ids` in our store. Raises TTMatrixError as below."""
    ended = record.outcome in _ENDED
    if ended and len(ids) == 1:
        return [DeviceResult.seen(ids[0], own_observation(record), record.summary).to_fields()]
    file = record.directory / JUNIT
    if file.is_file() and not ended:
        return read_device_result(file, ids)
    # It is unknown which test ended or blocked pytest; the tests before it have their testcases.
    names = {_name(id) for id in ids}
    cases = _by_name(read_testcases(file, names, on_cut=str)) if file.is_file() else {}
    log = _SessionLog(file)
    rest = Ending.OUT_OF_TIME if record.outcome in (Outcome.HANG, Outcome.TIMEOUT) else Ending.BROKEN
    found = [(id, cases.get(_name(id), [])) for id in ids]
    results = [
        _observed(id, deciding_case(some), log.of_test(_name(id))) if some else DeviceResult(id, rest, record.summary)
        for id, some in found
    ]
    return [one.to_fields() for one in results]


def read_device_result(file: Path, ids: Sequence[str]) -> list[dict[str, str]]:
    """The answer to `RunDevice` from a JUnit file. Raises TTMatrixError for a file that cannot be read.

    Raises UsageError where it mentions none of `ids`.
    """
    cut: list[CutReport] = []
    every = read_testcases(file, on_cut=cut.append)
    cases = _by_name(every)
    log = _SessionLog(file, alone=len({case.name for case in every if case.outcome in _FAILURES}) == 1)
    found = [(id, cases.get(_name(id), [])) for id in ids]
    if not any(some for _, some in found):
        wanted = "\n".join(f"  {_name(id)}" for id in ids)
        raise UsageError(f"{file} is about other tests", f"It mentions none of:\n{wanted}")
    absent = cut[0].problem if cut else "the report does not mention it"
    return [
        (
            _observed(id, deciding_case(some), log.of_test(_name(id)))
            if some
            else DeviceResult(id, Ending.NOT_RUN, absent)
        ).to_fields()
        for id, some in found
    ]


def _by_name(every: Iterable[Testcase]) -> dict[str, list[Testcase]]:
    cases: dict[str, list[Testcase]] = {}
    for case in every:
        cases.setdefault(case.name, []).append(case)
    return cases


class _SessionLog:
    """The log beside a report: that of a run here, else the one named like the report."""

    def __init__(self, report: Path, *, alone: bool = False) -> None:
        """`alone`: only one of its tests has failed, so what the log says is about that one."""
        log = report.with_name(LOG) if report.name == JUNIT else report.with_suffix(".log")
        self._lines = LogFile(log).last(_LOG_BYTES) if log.is_file() else []
        self._alone = alone
        self._parts = parts_of(self._lines)

    def of_test(self, name: str) -> str:
        """The most telling error line of one test; empty if there is none, or if it may be another test's."""
        own = cause_line(self._parts.get(name, ()))
        return own or (cause_line(self._lines) if self._alone else "")


def _name(id: str) -> str:
    parsed = TestId.parse(id)
    return f"{parsed.function}[{id}]" if parsed else id


def _observed(id: str, case: Testcase, log: str) -> DeviceResult:
    # CPU repros have shown before the device run that the loader works.
    seen = observe(case, Setting(), Signals(log, loads=True))
    if seen is None:
        return DeviceResult(id, Ending.NOT_RUN)
    if case.outcome in (Outcome.SKIP, Outcome.XFAIL):
        # Both were asked not to be: another way of skipping is at work, which a person has to look at.
        return DeviceResult(id, Ending.NOT_RUN, case.message)
    written = "" if seen.forced else case.properties.get("error_message", "")
    return DeviceResult.seen(id, seen, "\n".join(filter(None, (written, case.message, case.text))))
