# SPDX-License-Identifier: Apache-2.0
"""What a device run, or the JUnit file of one, says of each test: by the rules of the evidence and one more."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from core.errors import UsageError
from core.evidence.classify import Beside, Setting, observe
from core.evidence.ending_fields import stage_in
from core.evidence.observation import Ending
from core.evidence.own_runs import own_observation
from core.ids import TestId
from core.runs.junit import Testcase, file_chunks, read_testcases, stream_testcases, telling
from core.runs.log_signs import telling_line
from core.runs.outcome import Outcome
from core.runs.record import RunRecord
from core.runs.store import JUNIT, LOG
from core.runs.tail import LogFile
from core.triage.outcomes import Observed

_NUMBERS = ("PCC", "pcc=", "Atol", "atol", "Tensor mismatch")
_FAILURES = (Outcome.FAIL, Outcome.ERROR)
_ENDED = (Outcome.CRASH, Outcome.HANG, Outcome.TIMEOUT)
_LOG_BYTES = 1024 * 1024


def read_device_run(record: RunRecord, ids: Sequence[str]) -> list[dict[str, str]]:
    """The answer to `RunDevice` from the run here that was made for `ids`. Raises TTMatrixError as below."""
    ended = record.outcome in _ENDED
    if ended and len(ids) == 1:
        return [Observed.seen(ids[0], own_observation(record), record.summary).to_fields()]
    file = record.directory / JUNIT
    if file.is_file() and not ended:
        return read_device_result(file, ids)
    # Which test took pytest along, or held it up, nobody knows; those before it have their testcases.
    names = {_name(id) for id in ids}
    cases = _by_name(read_testcases(file, names)) if file.is_file() else {}
    rest = Ending.OUT_OF_TIME if record.outcome in (Outcome.HANG, Outcome.TIMEOUT) else Ending.BROKEN
    found = [(id, cases.get(_name(id), [])) for id in ids]
    told = [_observed(id, telling(some), "") if some else Observed(id, rest, record.summary) for id, some in found]
    return [one.to_fields() for one in told]


def read_device_result(file: Path, ids: Sequence[str]) -> list[dict[str, str]]:
    """The answer to `RunDevice` from a JUnit file. Raises TTMatrixError for a file that cannot be read.

    Raises UsageError where it mentions none of `ids`.
    """
    names = {_name(id) for id in ids}
    cases: dict[str, list[Testcase]] = {}
    failed: set[str] = set()
    for _, case in stream_testcases(file_chunks(file), str(file)):
        if case.name in names:
            cases.setdefault(case.name, []).append(case)
        if case.outcome in _FAILURES:
            failed.add(case.name)
    # What a log says is of one test only where one has failed.
    log = _log_line(file) if len(failed) == 1 else ""
    found = [(id, cases.get(_name(id), [])) for id in ids]
    if not any(some for _, some in found):
        wanted = "\n".join(f"  {_name(id)}" for id in ids)
        raise UsageError(f"{file} is about other tests", f"It mentions none of:\n{wanted}")
    return [_observed(id, telling(some), log).to_fields() if some else _absent(id) for id, some in found]


def _by_name(every: Iterable[Testcase]) -> dict[str, list[Testcase]]:
    cases: dict[str, list[Testcase]] = {}
    for case in every:
        cases.setdefault(case.name, []).append(case)
    return cases


def _log_line(file: Path) -> str:
    """What the log of the same session says most: of a run here, else the one of the same name beside the report."""
    log = file.with_name(LOG) if file.name == JUNIT else file.with_suffix(".log")
    return telling_line(LogFile(log).last(_LOG_BYTES)) if log.is_file() else ""


def _name(id: str) -> str:
    parsed = TestId.parse(id)
    return f"{parsed.function}[{id}]" if parsed else id


def _absent(id: str) -> dict[str, str]:
    return Observed(id, Ending.NOT_RUN, "the report does not mention it").to_fields()


def _observed(id: str, case: Testcase, log: str) -> Observed:
    seen = observe(case, Setting(), Beside(log))
    if seen is None:
        return Observed(id, Ending.NOT_RUN)
    if case.outcome in (Outcome.SKIP, Outcome.XFAIL):
        # Both were asked not to be: another way of skipping is at work, which a person has to look at.
        return Observed(id, Ending.NOT_RUN, case.message)
    if seen.ending is Ending.BROKEN and case.outcome is Outcome.FAIL:
        # Without properties it may be anything, but the CPU repro has shown that the loader can be made.
        inaccurate = any(word in case.message for word in _NUMBERS)
        ending = Ending.INACCURATE if inaccurate else Ending.FAILED
        seen = replace(seen, ending=ending, stage=stage_in(f"{seen.reason}\n{case.text}"))
    written = "" if seen.forced else case.properties.get("error_message", "")
    return Observed.seen(id, seen, "\n".join(filter(None, (written, case.message, case.text))))
