# SPDX-License-Identifier: Apache-2.0
"""Decide how a run ended, from the files that its process left behind."""

import math
import os
import re
import shutil
import signal
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core import runs
from core.base.errors import TTMatrixError
from core.base.files import read_loosely
from core.domain.ids import TestId
from core.domain.model import item_name
from core.payload.ttmatrix_payload.models.compile_options import read_words
from core.payload.ttmatrix_payload.plugins.spool import SPOOL, Spool
from core.runs.case_results import counts, counts_text
from core.runs.execution.follow import CUT, Place, read_place
from core.runs.execution.packages import said_of
from core.runs.execution.sessions import read_guard
from core.runs.execution.supervisor import Exit, copy_captured
from core.runs.ir import stage_of
from core.runs.log import LogFile, cause_line, out_of_memory, trace_advice
from core.runs.outcome import FAILURES, Outcome, judge, read_result
from core.runs.spec import STAGE_FILE, ResultFormat, RunSpec
from core.runs.store import JUNIT, LOG, Finished

if TYPE_CHECKING:
    from core.runs.junit import Testcase


PROGRAMS = "ir"
"""The directory of a run that holds programs."""
_NAMED_BY_TEST = "output_artifact"
_ANY = ("collected_irs", "codegen_result", "modules")
_EXPORT = re.compile(r"--compile-option=export_path=(.+)")
_NOT_IN_NAMES = re.compile(r"[\[\](),\-\s/:]+")


def collect_programs(spec: RunSpec, directory: Path, since: float) -> int:
    """Copy the files written since a moment, in seconds since the epoch; returns their number.

    A file that cannot be read, or that does not fit on the disk, is skipped: the result of the run matters more.
    """
    copied = 0
    for file in _written(spec):
        with suppress(OSError):
            if file.stat().st_mtime < since or stage_of(file.name) is None or directory in file.parents:
                continue
            target = directory / PROGRAMS / _relative(file, spec.cwd)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)
            copied += 1
    return copied


def _test_file_name(spec: RunSpec) -> str:
    """The beginning of the file names that upstream's `--serialize` gives (`sanitize_test_name`)."""
    return _NOT_IN_NAMES.sub("_", item_name(spec.function, spec.test_id)).rstrip("_")


def _written(spec: RunSpec) -> Iterator[Path]:
    own = _test_file_name(spec)
    yield from (file for file in _files(spec.cwd / _NAMED_BY_TEST) if file.name.startswith(own))
    exported = [match[1] for word in spec.argv if (match := _EXPORT.fullmatch(word))]
    for name in (*_ANY, *exported):
        yield from _files(spec.cwd / name)


def _files(directory: Path) -> Iterator[Path]:
    # Others may remove directories meanwhile: `walk` passes over what it cannot read.
    for place, _, names in os.walk(directory):
        yield from (file for file in (Path(place, name) for name in names) if _is_plain(file))


def _is_plain(file: Path) -> bool:
    try:
        return stat.S_ISREG(file.lstat().st_mode)
    except OSError:
        return False


def _relative(file: Path, root: Path) -> Path:
    return file.relative_to(root) if file.is_relative_to(root) else Path(file.name)


_STAGE_CHARACTERS = 100
_RAN_BY = ("backend", "device")
"""Properties of our own runner that say what really ran the test."""
_OWN = (*_RAN_BY, "performance", "ignored_options", "filechecks")
"""All properties of our own runner."""
_CAUSE_BYTES = 1024 * 1024
_CRASH_SEEN = re.compile(
    r"(?:Thread .*|Program) (?:received|terminated with) signal (SIG\w+)\b.*|.*stop reason = signal (SIG\w+)\b.*"
)
"""The message of gdb, and that of lldb."""
_NOT_RUN_SIGNS = (
    re.compile(r"^E\s+((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Missing)\b.*)"),
    re.compile(r"^(?:INTERNALERROR> )((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit)\b.*)"),
    re.compile(r"^[^:]*: error: (.+)"),
    re.compile(r"^ERROR: (?!usage:|not found:|file or directory not found)(?:found no collectors for )?(\S.*)"),
    re.compile(r"^((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit)\b: .*)"),
    re.compile(r"^\S*: (No module named \S+)$"),
    re.compile(r"\b(\d+ deselected)\b"),
    re.compile(r"^ERROR: ((?:not found:|file or directory not found).*)"),
)
"""Signs of why pytest has not run a test, the best first: an exception, a bad command line, a missing test."""


@dataclass(frozen=True, slots=True)
class Remains:
    """A run that is over, with the facts that its scheduler has."""

    spec: RunSpec
    directory: Path
    exit: Exit | None
    """None: the end of its process was not seen."""
    stopped: Outcome | None
    """Why ttmatrix ended it; None: it did not."""
    stuck: bool
    """Whether some process of it survives every signal."""
    seconds: float
    """How long it ran."""
    idle: float | None = None
    """If it reached its time limit: its last seconds without output and work; None: unknown."""


@dataclass(frozen=True, slots=True)
class _Reported:
    """What the process itself reported about the test."""

    outcome: Outcome
    result: Mapping[str, object] | None = None
    detail: str = ""
    signal: int | None = None
    case: "Testcase | None" = None
    why: str = ""
    """Why pytest has not run the test."""


def conclude(remains: Remains) -> Finished:
    """The end of a run, from its exit, its log or `junit.xml`, and the stage upstream's runner left.

    See docs/rules.md 4.5.
    """
    # Its supervisor has done that, unless it was killed.
    copy_captured(remains.directory, Spool(remains.directory / SPOOL), last=True)
    place = read_place(remains.directory)
    elsewhere = place is not None and place.end != "ended"
    # The follower of such a run has its own exit code.
    code = remains.exit.code if remains.exit and not elsewhere else None
    reported = _reported(remains, code)
    if remains.spec.report is ResultFormat.JUNIT:
        # A file from more than a second before its start belongs to another run.
        collect_programs(remains.spec, remains.directory, time.time() - remains.seconds - 1)
    return Finished(
        time.time(),
        remains.stopped or reported.outcome,
        remains.seconds,
        exit_code=code if code is not None and code >= 0 else None,
        signal=-code if code is not None and code < 0 else reported.signal,
        result=_with_reason(remains, reported),
        detail="some of its processes cannot be stopped" if remains.stuck else reported.detail,
        stage=_stage(remains) if remains.spec.report is ResultFormat.JUNIT else "",
        idle=remains.idle,
        peak_memory=_peak_memory(remains),
        packages=said_of(remains.directory),
    )


def _peak_memory(remains: Remains) -> int | None:
    if guard := read_guard(remains.directory):
        # The exit is that of the process that represents the run here.
        return guard.peak_memory
    return remains.exit.peak_memory if remains.exit else None


def _with_reason(remains: Remains, reported: _Reported) -> Mapping[str, object] | None:
    """The result with its reason, from the report and the log: pytest reports little of what compiler and device print.

    A report without a message of its own gets the line of the log as that.
    """
    outcome = remains.stopped or reported.outcome
    if remains.spec.report is not ResultFormat.JUNIT or outcome not in FAILURES:
        return reported.result
    lines = LogFile(remains.directory / LOG).last(_CAUSE_BYTES)
    advice = trace_advice(lines, traced=read_words(remains.spec.argv).flag("enable_trace", default=False))
    cause, result = cause_line(lines), reported.result or {}
    found = {
        "cause": cause,
        "out_of_memory": out_of_memory(lines),
        "error_message": result.get("error_message") or cause,
        "advice": advice,
        "reason": _reason(outcome, reported, cause),
    }
    said = {name: value for name, value in found.items() if value}
    return {**result, **said} if said else reported.result


def _reason(outcome: Outcome, reported: _Reported, cause: str) -> str:
    """The one reason of a failure, which lists, the log and the evidence show; empty: its ending says it all."""
    if outcome is Outcome.CRASH:
        return cause
    if outcome not in (Outcome.FAIL, Outcome.ERROR):
        # The log of a stopped run ends with messages that our own signal has caused.
        return ""
    if reported.case is None:
        return reported.why
    return runs.failure_reason(reported.case, cause)[0]


def _reported(remains: Remains, code: int | None) -> _Reported:
    place = read_place(remains.directory)
    if place is not None and place.end != "ended" and not remains.stopped:
        return _reported_of_host(place)
    if remains.exit is None:
        return _Reported(Outcome.LOST)
    if code is None:
        return _Reported(Outcome.ERROR, detail=remains.exit.error)
    if remains.spec.report is ResultFormat.JUNIT:
        return _reported_by_junit(remains, code)
    if remains.spec.report is ResultFormat.CASES:
        return _reported_by_cases(remains, code)
    result = read_result(remains.directory / LOG, remains.spec.nonce)
    stopped = _stopped_by_debugger(remains) if result is None else None
    return stopped or _Reported(judge(code, result), result)


def _stopped_by_debugger(remains: Remains) -> _Reported | None:
    """The crash that a debugger in the command has seen: it ends well itself. None: there was none."""
    if not any(map(runs.is_debugger, remains.spec.prefix)):
        return None
    lines = LogFile(remains.directory / LOG).last(_CAUSE_BYTES)
    found = next((one for line in reversed(lines) if (one := _CRASH_SEEN.match(line))), None)
    known = signal.Signals.__members__.get(found[1] or found[2]) if found else None
    return _Reported(Outcome.CRASH, detail=found[0], signal=known) if found and known else None


def _reported_of_host(place: Place) -> _Reported:
    """The end of a run on another machine whose end is unknown, or that could not start there."""
    if place.end in ("", "lost", CUT):
        why = place.why or "the process that followed it was killed"
        return _Reported(Outcome.LOST, detail=f"lost on {place.host}: {why}")
    return _Reported(Outcome.ERROR, detail=f"{place.host}: {place.why}")


def _reported_by_junit(remains: Remains, code: int) -> _Reported:
    spec, cut = remains.spec, list[runs.CutReport]()
    try:
        case = runs.read_testcase(remains.directory / JUNIT, item_name(spec.function, spec.test_id), cut.append)
    except TTMatrixError as error:
        # After a crash or a hard stop of pytest there is no file.
        if stopped := _stopped_by_debugger(remains):
            return stopped
        if code < 0 or remains.stopped:
            return _Reported(Outcome.CRASH if code < 0 else Outcome.ERROR)
        why = _why_not_run(remains, error)
        return _Reported(Outcome.ERROR, detail=f"pytest ended with exit code {code}: {why}", why=why)
    declared = case.properties.get("error_message", "")
    unchecked = [line for line in case.properties.get("filechecks", "").splitlines() if ": not checked" in line]
    message = case.message or "; ".join(unchecked)
    ran_by = {name: case.properties[name] for name in _OWN if name in case.properties}
    tags = _plain(case.tags)
    result = {"message": message, "error_message": declared, "seconds": case.seconds, "tags": tags, **ran_by}
    if code < 0:
        return _Reported(Outcome.CRASH, result, detail=f"after pytest had reported: {case.outcome}", case=case)
    return _Reported(case.outcome, result, detail=cut[0].detail if cut else "", signal=case.signal, case=case)


def _reported_by_cases(remains: Remains, code: int) -> _Reported:
    """The results that a batch of op cases wrote, case by case, even if it was stopped before its end."""
    found, total = runs.read_case_results(remains.directory), len(remains.spec.case_ids)
    all_there = len(found) >= total
    message = counts_text(found) if all_there else f"{len(found):,} of {total:,} cases: {counts_text(found) or 'none'}"
    result: dict[str, object] = {"message": message, "cases": total, "counts": dict(counts(found))}
    result |= {name: found[0][name] for name in _RAN_BY if found and name in found[0]}
    if code < 0 or remains.stopped:
        return _Reported(Outcome.CRASH, result, detail=message)
    if not found or code not in (0, 1):
        log = LogFile(remains.directory / LOG).last(_CAUSE_BYTES)
        why = why_not_run(log, [], remains.spec.test_id) or message
        return _Reported(Outcome.ERROR, result if found else None, detail=f"pytest ended with exit code {code}: {why}")
    good = all_there and all(one["status"] in runs.GOOD for one in found)
    return _Reported(Outcome.PASS if good else Outcome.FAIL, result)


def _why_not_run(remains: Remains, error: TTMatrixError) -> str:
    cases: list[Testcase] = []
    with suppress(TTMatrixError):
        cases = runs.read_testcases(remains.directory / JUNIT, on_cut=str)
    lines = LogFile(remains.directory / LOG).last(_CAUSE_BYTES)
    parsed = TestId.parse(remains.spec.test_id)
    why = why_not_run(lines, cases, parsed.directory if parsed else remains.spec.test_id)
    return why or f"{error.title}: {error.detail}"


def why_not_run(log: Sequence[str], cases: Sequence["Testcase"], directory: str) -> str:
    """The line that explains why a test is not in the report; empty if there is none.

    `log` are the last lines of the log as shown, `cases` the testcases in the report. Import errors only count for the
    loader's own `directory`.
    """
    # The messages of ttmatrix's own runner and of tt-xla's.
    imported = re.compile(rf"[Cc]annot import (?:path: (?:\S*/)?)?{re.escape(directory)}(?:/loader\.py)?: (.+)")
    found = next(((number, one[1].strip()) for number, line in enumerate(log) if (one := imported.search(line))), None)
    if found:
        number, why = found
        # A library that names the cause on the next line ends this one so.
        more = next(filter(None, map(str.strip, log[number + 1 :])), "") if why.endswith(":") else ""
        return f"cannot import {directory}: {why} {more}".rstrip()
    # pytest reports a file that it cannot collect as a testcase with the name of the file.
    failed = next((case for case in cases if case.outcome is Outcome.ERROR and "[" not in case.name), None)
    if failed is not None:
        return _first(_NOT_RUN_SIGNS[0], failed.text.splitlines()) or failed.message
    return next((text for one in _NOT_RUN_SIGNS if (text := _first(one, log))), "")


def _first(pattern: re.Pattern[str], lines: Sequence[str]) -> str:
    found = (pattern.search(line) for line in lines)
    return next((match[1].strip() for match in found if match), "")


def _plain(value: object) -> object:
    """`value` in a form that JSON allows: NaN, infinities and other types become text."""
    match value:
        case Mapping():
            return {str(key): _plain(one) for key, one in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(one) for one in value]
        case float() if math.isfinite(value):
            return value
        case None | bool() | int() | str():
            return value
    return str(value)


def _stage(remains: Remains) -> str:
    # The file of a run on another machine was sent here.
    sent = remains.directory / STAGE_FILE
    file = sent if sent.is_file() else remains.spec.cwd / STAGE_FILE
    try:
        # A file of an earlier run says nothing about this one.
        if file.stat().st_mtime < time.time() - remains.seconds - 1:
            return ""
        return read_loosely(file).strip()[:_STAGE_CHARACTERS]
    except OSError:
        return ""
