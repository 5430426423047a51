# SPDX-License-Identifier: Apache-2.0
"""How a job died: from its steps, and from the end of its log the line that says why and the test that ran last."""

import re
from collections.abc import Sequence

from core.evidence.ci_runs import CiJob, Death, HowDied, JobReport

_MARKED = re.compile(r"^##\[(?P<kind>\w+)\]\s*")
_EXIT = re.compile(r"Process completed with exit code \d+")
_TIME_UP = re.compile(r"has timed out after|exceeded the maximum execution time|The operation was canceled", re.I)
_NODE = re.compile(r"^(?P<node>[\w./-]+\.py::[^\s\[]+(?:\[\S*?\](?=\s|$))?)(?P<rest>.*)$")
_OUTCOME = re.compile(r"(?:^|\s)(?:PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS|RERUN)(?:\s+\(.*\))?(?:\s+\[\s*\d+%\])?\s*$")
_HEADLINE = re.compile(r"_{3,} .+ _{3,}\s*$")
"""What pytest puts above the output of a failure."""
_FATAL = re.compile(
    r"Fatal Python error|Segmentation fault|\bKilled$|\bKilled\b.*\bprocess\b|Aborted|core dumped|terminate called"
    r"|No space left on device|[Oo]ut of memory: |lost communication|INTERNALERROR> \w+Error"
)
_RAISED = re.compile(r"^(?:E\s+)?[\w.]*(?:Error|Exception|Exit)\b: ")
_SAID = re.compile(r"\b(?:ERROR|error|fatal|Error)\b:? ")
_DEVICE_HANGS = re.compile(r"TIMEOUT: device timeout|device timeout in fetch queue|potential hang detected")
_NAMED_OP = re.compile(
    r"\b(?:running op|dispatching kernel|executing op(?:eration)?|op(?:eration)?[ _]name)\b"
    r"\W{0,9}(?:%\w+ = )?\"?(?P<op>[A-Za-z][\w.:]+)",
    re.IGNORECASE,
)
_OP = re.compile(r"\b(?P<op>[A-Z][A-Za-z0-9]+(?:MultiCore\w*|DeviceOperation|Ng|WithParam)|ttnn\.[a-z]\w+)\b")
_OPS_BEFORE, _OPS_BEHIND = 200, 400
"""So many lines before the message about a hang, and behind it, are looked at for the op."""
_HANGS = 20
"""So many hangs of one log are looked at, the last ones."""
_COLLECT = re.compile(r"\bcollect", re.IGNORECASE)


def is_dead(job: CiJob, report: JobReport | None) -> bool:
    """Whether a job ended without all that it should have left. A job whose tests failed has left a whole report."""
    if report is not None and report.cut:
        return True
    left_it = report is not None and (report.performance if job.parts.benchmark else report.reports)
    return job.failed and not left_it


def death_of(job: CiJob, report: JobReport | None, lines: Sequence[str], missing: str = "") -> Death:
    """How a dead job ended. Without lines, `missing` says why there is no log."""
    step = job.failed_step
    error, at = _error(lines)
    how = _how(job, report, error)
    ops = hung_ops(lines, at_end=how is HowDied.TIMED_OUT)
    return Death(how, step.name if step else "", error, running_test(lines), missing, at, ops[-1] if ops else "")


def _how(job: CiJob, report: JobReport | None, error: str) -> HowDied:
    if job.conclusion == "cancelled":
        return HowDied.CANCELLED if job.machine or job.started else HowDied.NEVER_BEGAN
    if job.conclusion == "timed_out" or _TIME_UP.search(error):
        return HowDied.TIMED_OUT
    if not job.machine and not any(one.conclusion for one in job.steps):
        return HowDied.NEVER_BEGAN
    step = job.failed_step
    if step is not None and _COLLECT.search(step.name):
        return HowDied.COLLECTION
    if report is not None and report.cut:
        return HowDied.TRUNCATED
    if not job.parts.has_tests:
        return HowDied.FAILED
    if step is not None and not job.reached_tests:
        return HowDied.SETUP
    return HowDied.DIED if step is not None else HowDied.NO_REPORT


def running_test(lines: Sequence[str]) -> str:
    """The node id of the test that had begun and not ended; empty: none had.

    pytest writes the id when a test starts, and the outcome after it: on the same line, or with `-s` behind the output.
    """
    running = ""
    for line in lines:
        if found := _NODE.match(line):
            running = "" if _OUTCOME.search(found["rest"]) else found["node"]
        elif running and _OUTCOME.search(line):
            running = ""
    return running


def hangs(reason: str) -> bool:
    """Whether a failure is that the device hung."""
    return _DEVICE_HANGS.search(reason) is not None


def hung_ops(lines: Sequence[str], *, at_end: bool = False) -> tuple[str, ...]:
    """The ops that were on the device when it hung, each once: named before the message about it, or by tt-triage
    behind it.

    `at_end`: something hung, so that without such a message the end of the log counts.
    """
    found = [at for at, line in enumerate(lines) if hangs(line)]
    if not found and at_end:
        found = [len(lines)]
    return tuple(dict.fromkeys(op for at in found[-_HANGS:] if (op := _op_at(lines, at))))


def _op_at(lines: Sequence[str], at: int) -> str:
    before, behind = lines[max(0, at - _OPS_BEFORE) : at][::-1], lines[at : at + _OPS_BEHIND]
    for naming, some in ((_NAMED_OP, before), (_NAMED_OP, behind), (_OP, before), (_OP, behind)):
        for line in some:
            if op := naming.search(line):
                return op["op"]
    return ""


def line_of_error(lines: Sequence[str]) -> int:
    """The number, from 1, of the line that says most about why a job failed; 0: none does."""
    return _error(lines)[1]


def line_of_test(lines: Sequence[str], id: str) -> int:
    """The number, from 1, of the line at which to read about a test: where pytest shows its failure, else its outcome.

    Else the last line with its name; 0: there is none. `id` is what is in brackets, or a whole node id.
    """
    name = id if "::" in id else f"[{id}]"
    short = name.rpartition("::")[2]
    headline, outcome, last = 0, 0, 0
    for at, line in enumerate(lines, 1):
        if short in line:
            last = at
            if _HEADLINE.match(line):
                headline = headline or at
            elif name in line and _OUTCOME.search(line):
                outcome = outcome or at
    return headline or outcome or last


def _error(lines: Sequence[str]) -> tuple[str, int]:
    """The line that says most about why the job ended, and its number from 1."""
    for finder in (_own_words, _fatal, _raised, _said):
        for at in range(len(lines) - 1, -1, -1):
            if line := finder(lines[at]):
                return line, at + 1
    for at in range(len(lines) - 1, -1, -1):
        if (line := lines[at].strip()) and not _MARKED.match(line):
            return line, at + 1
    return "", 0


def _own_words(line: str) -> str:
    """What GitHub's runner itself says, unless it is only that a command failed."""
    found = _MARKED.match(line)
    said = line[found.end() :].strip() if found and found["kind"] == "error" else ""
    return "" if _EXIT.search(said) else said


def _fatal(line: str) -> str:
    return line.strip() if _FATAL.search(line) else ""


def _raised(line: str) -> str:
    return line.removeprefix("E ").strip() if _RAISED.match(line) else ""


def _said(line: str) -> str:
    return line.strip() if _SAID.search(line) and not _MARKED.match(line) else ""
