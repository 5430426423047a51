# SPDX-License-Identifier: Apache-2.0
"""Classify testcases: what ran them, and how the model ended in each, by the outcome table (docs/rules.md 4.4)."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.base.checked_numbers import finite
from core.domain.model import BringupStatus, Function, Status
from core.evidence.ending_fields import stage_in
from core.evidence.observation import RAN, Ending, Observation, Origin
from core.evidence.reasons import quotable
from core.runs import Outcome, Testcase, clean, evidence_lines, failure_reason, is_forced, plain_line, raised_reason
from core.runs.log import WRONG_NUMBERS

_NAME = re.compile(r"(\w+)\[(.*)\]", re.DOTALL)
_CALCULATED = re.compile(r"\bCalculated: pcc=([-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|nan|inf))", re.IGNORECASE)
_LOW = re.compile(WRONG_NUMBERS)
_NUMBERS = re.compile(rf"{WRONG_NUMBERS}|(?i:\bpcc ?=|\batol\b|\btensor mismatch)")
"""Signs of wrong numbers in a text, if no tags give the kind of failure (docs/rules.md 7.2)."""
# A bug of upstream if PCC is fine and another comparison is not: reporting the result fails (docs/rules.md 4.4).
_OTHER_COMPARISON = re.compile(r"^(?:E\s+)?UnboundLocalError: .*\b(?:reason|bringup_status)\b", re.MULTILINE)
# The text before it names the test, which would make every crash a different one.
_DIED = re.compile(r"^.*\b(running the test (?:CRASHED|EXITED) with \w+ \d+).*$", re.MULTILINE)
_WORKER_DIED = re.compile(r"^.*\bworker '[^']*' crashed while running.*$", re.MULTILINE)
# The message of pytest-timeout. An expected failure repeats it without the name of the exception (docs/rules.md 4.4).
_OUT_OF_TIME = re.compile(r"^(?:E\s+)?(?:Failed: Timeout\b|Timeout \(?>[\d.]+s\)? from pytest-timeout)", re.MULTILINE)
_STATUSES = {f"ModelTestStatus.{status}": status for status in Status} | {str(status): status for status in Status}

_NOT_BY_HAND = ("runner", "op_by_op")
_UNIT_TESTS = "pjrt"
_DEVICE_BACKEND = "tt"
_HOST = "CPU"

Maker = tuple[str, str]
"""A backend and a device."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Facts that a testcase does not state itself: where and when its session ran, and what it belongs to."""

    run: str = ""
    arch: str = ""
    """Used if the tags name none."""
    when: float = 0.0
    host: str = ""
    job: str = ""
    source: str = ""
    origin: Origin = Origin.CI
    commit: str = ""
    models_commit: str = ""


@dataclass(frozen=True, slots=True)
class Signals:
    """Facts about a failure from other sources than its report."""

    log: str = ""
    """The most telling line of its log."""
    stage: BringupStatus = BringupStatus.UNKNOWN
    """From the stage file of upstream's runner (docs/rules.md 4.5)."""
    loads: bool = False
    """A CPU repro has shown that the loader works, so that a failure without properties is one of the model."""


_NOTHING = Signals()


def stand_in(cases: Iterable[Testcase]) -> str:
    """As `stand_in_of`, for the testcases of one session."""
    return stand_in_of(map(maker_of, cases))


def maker_of(case: Testcase) -> Maker:
    """The backend and device that a testcase names; both empty if it names none."""
    return case.properties.get("backend", ""), case.properties.get("device", "")


def stand_in_of(makers: Iterable[Maker]) -> str:
    """What ran the testcases of a session instead of a device, in words; empty: a device, as far as known.

    Upstream's runner names no backend, because it only runs on the device. A testcase whose process died names no
    device, so those of the other testcases of its session count.
    """
    known = list(makers)
    backends = sorted({backend for backend, _ in known if backend})
    if not backends or any(_is_device(*one) for one in known):
        return ""
    return f"ttmatrix's own runner with the backend {backends[0]} on the CPU"


def _is_device(backend: str, device: str) -> bool:
    # The backend xla has the device that PJRT_DEVICE names.
    return backend == _DEVICE_BACKEND or (bool(device) and not device.startswith(_HOST))


def model_test(name: str) -> tuple[Function, str] | None:
    """The test function and the test id in a testcase's name; None if it is not a model test."""
    match = _NAME.fullmatch(name)
    return (Function(match[1]), match[2]) if match and match[1] in Function.__members__.values() else None


def handwritten_test(case: Testcase, job: str = "") -> str:
    """The node id of a testcase below `tests` that is of no model; empty for any other (docs/rules.md 1.8).

    The `classname` of a testcase is the dotted module name followed by the classes, which begin with a capital. Unit
    tests of PJRT are no Python: their `classname` is a suite, and only the job says what they are.
    """
    parts = case.classname.split(".")
    if _UNIT_TESTS in job and parts[0] != "tests" and case.name and case.classname:
        return clean(f"{_UNIT_TESTS}::{case.classname}::{case.name}")
    if parts[0] != "tests" or len(parts) < 3 or parts[1] in _NOT_BY_HAND or not case.name:
        return ""
    count = next((at for at, part in enumerate(parts) if part[:1].isupper()), len(parts))
    return "::".join((f"{'/'.join(parts[:count])}.py", *parts[count:], case.name))


def _test_of(case: Testcase, job: str) -> tuple[Function, str] | None:
    test = model_test(case.name)
    if test is None and (node := handwritten_test(case, job)):
        return Function.HANDWRITTEN, node
    return test


def observe(case: Testcase, setting: Setting, beside: Signals = _NOTHING) -> Observation | None:
    """The result in `case`; None if it is neither a model test nor a hand-written one."""
    test = _test_of(case, setting.job)
    if test is None:
        return None
    tags = case.tags
    # A hand-written test has no loader that could be the cause.
    by_hand = test[0].beside_models
    ending, forced = ending_of(case, loads=beside.loads or by_hand), is_forced(case)
    reason, raised = _reason(case, ending, forced, beside.log)
    pcc = _lowest(case, forced) if ending in RAN else None
    checked = tags.get("pcc_assertion_enabled")
    return Observation(
        test_id=test[1],
        function=test[0],
        arch=clean(_text(tags, "arch")) or setting.arch,
        origin=setting.origin,
        run=setting.run,
        when=setting.when,
        host=setting.host,
        ending=ending,
        expected=_expected(case),
        forced=forced,
        stage=_stage(case, ending, forced, beside.stage, reason),
        reason=reason,
        seconds=case.seconds,
        pcc=pcc,
        pcc_required=finite(tags.get("pcc_threshold")),
        pcc_checked=checked if isinstance(checked, bool) else None,
        shortcut=pcc == 1.0,
        guidance=_guidance(tags, forced),
        signal=case.signal or None,
        attempts=1 + len(case.earlier),
        job=setting.job,
        source=setting.source,
        commit=setting.commit,
        models_commit=setting.models_commit,
        raised=raised,
        profile=clean(case.properties.get("profile", "")),
    )


def ending_of(case: Testcase, *, loads: bool = False) -> Ending:
    """How the model ended (docs/rules.md 4.4). `loads`: its loader is known to work."""
    if case.outcome is Outcome.CRASH:
        return Ending.CRASHED
    if case.outcome is Outcome.ERROR and case.signal == 0:
        # Tags that upstream adds afterwards do not come from the test.
        return Ending.BROKEN
    if case.outcome is Outcome.PASS and case.earlier:
        return Ending.FLAKY
    if case.outcome in (Outcome.FAIL, Outcome.ERROR, Outcome.XFAIL) and _out_of_time(case.text or case.message):
        return Ending.OUT_OF_TIME
    if case.outcome is Outcome.SKIP:
        return Ending.NOT_RUN
    if not case.tags:
        return _without_tags(case, loads)
    if _low(case):
        return Ending.INACCURATE
    if case.outcome in (Outcome.FAIL, Outcome.ERROR):
        return Ending.FAILED
    if is_forced(case) or case.outcome is Outcome.PASS:
        return Ending.PASSED
    # An expected failure looks the same whether the model failed or passed: only the tag differs.
    return Ending.PASSED if _text(case.tags, "bringup_status") == BringupStatus.PASSED else Ending.FAILED


def _out_of_time(text: str) -> bool:
    return "Timeout" in text and _OUT_OF_TIME.search(text) is not None


def _without_tags(case: Testcase, loads: bool) -> Ending:
    """The ending of a testcase without properties: they are recorded once a model was tried (docs/rules.md 4.1).

    If its loader is known to work, the model itself fails; else the model was never reached.
    """
    if case.outcome is Outcome.PASS:
        return Ending.PASSED
    if case.outcome is Outcome.FAIL and _OTHER_COMPARISON.search(f"{case.message}\n{case.text}"):
        return Ending.INACCURATE
    if case.outcome is Outcome.FAIL and loads:
        return Ending.INACCURATE if _NUMBERS.search(case.message) else Ending.FAILED
    return Ending.BROKEN


def _expected(case: Testcase) -> Status:
    written = _text(case.tags, "model_test_status")
    if not written and case.outcome is Outcome.XFAIL:
        return Status.KNOWN_FAILURE_XFAIL
    return _STATUSES.get(written, Status.UNSPECIFIED)


def _low(case: Testcase) -> bool:
    """Whether the model gave results that are not good enough, asserted or not."""
    tags, forced = case.tags, is_forced(case)
    if not forced and _text(tags, "bringup_status") == BringupStatus.INCORRECT_RESULT:
        return True
    if case.outcome in (Outcome.FAIL, Outcome.ERROR):
        return tags.get("comparison_passed") is False or _LOW.search(case.message) is not None
    # Upstream takes the lowest of several numbers in a way that can miss a NaN.
    measured = [value for name in ("pcc", "atol") if isinstance(value := tags.get(name), float)]
    if any(not math.isfinite(value) for value in measured):
        return True
    pcc, required = finite(tags.get("pcc")), finite(tags.get("pcc_threshold"))
    return tags.get("comparison_passed") is False or (pcc is not None and required is not None and pcc < required)


def _lowest(case: Testcase, forced: bool) -> float | None:
    """The lowest PCC in the testcase, although its tags have only one of several. None if one of them is not a number.

    See docs/rules.md 4.6.
    """
    tag = case.tags.get("pcc")
    tagged = isinstance(tag, int | float) and not isinstance(tag, bool)
    # In a forced run it is the entry's reason, which may quote an old number.
    written = "" if forced else case.properties.get("error_message", "")
    texts = (evidence_lines(case.text), case.message, _text(case.tags, "comparison_error_message"), written)
    numbers = [float(found) for text in texts if text for found in _CALCULATED.findall(text)]
    values = [finite(number) for number in (*numbers, *([tag] if tagged else []))]
    known = [value for value in values if value is not None]
    return min(known) if known and len(known) == len(values) else None


def _stage(case: Testcase, ending: Ending, forced: bool, begun: BringupStatus, reason: str) -> BringupStatus:
    if ending is Ending.PASSED:
        return BringupStatus.PASSED
    if ending is Ending.INACCURATE:
        return BringupStatus.INCORRECT_RESULT
    if ending is Ending.CRASHED:
        return stage_in(reason)
    if ending is not Ending.FAILED:
        return BringupStatus.UNKNOWN
    name = _text(case.tags, "bringup_status")
    live = BringupStatus(name) if name in BringupStatus.__members__ and not forced else BringupStatus.UNKNOWN
    text = f"{reason}\n{evidence_lines(case.text)}"
    # The comparison passed and the test raised: the teardown failed, which has no stage.
    known = (one for one in (live, begun) if one not in (BringupStatus.UNKNOWN, BringupStatus.PASSED))
    return next(known, None) or stage_in(text)


def _reason(case: Testcase, ending: Ending, forced: bool, log: str) -> tuple[str, str]:
    """The line to quote, and the reason in the traceback if it differs."""
    if ending is Ending.PASSED:
        return "", ""
    if ending is Ending.NOT_RUN:
        return plain_line(case.message.partition("\n")[0]), ""
    if ending is Ending.FLAKY:
        return next(filter(None, map(quotable, case.earlier)), ""), ""
    if ending is Ending.BROKEN and case.signal == 0:
        return case.message, ""
    if ending is Ending.FAILED:
        return failure_reason(case, log)
    if ending is Ending.CRASHED:
        text = _DIED.sub(r"\1", f"{case.message}\n{evidence_lines(case.text)}")
        return quotable(_WORKER_DIED.sub("the worker of pytest-xdist crashed while running the test", text)), ""
    live = _text(case.tags, "comparison_error_message") if ending is Ending.INACCURATE else ""
    texts = [raised_reason(case), live, "" if forced else case.properties.get("error_message", "")]
    return next(filter(None, map(quotable, texts)), ""), ""


def _guidance(tags: Mapping[str, object], forced: bool) -> tuple[str, ...]:
    guidance = tags.get("guidance")
    return () if forced or not isinstance(guidance, list | tuple) else tuple(clean(str(one)) for one in guidance)


def _text(tags: Mapping[str, object], name: str) -> str:
    value = tags.get(name)
    return value if isinstance(value, str) else ""
