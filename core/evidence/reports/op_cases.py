# SPDX-License-Identifier: Apache-2.0
"""Results of op cases as observations, from a local run or from a JUnit file of the plugin alike."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.base.checked_numbers import duration, finite
from core.domain.model import BringupStatus, Function, Status
from core.evidence.observation import CaseNumbers, Ending, Observation
from core.evidence.reports.classify import Setting
from core.runs import CaseDocument, Testcase, case_seconds, clean, plain_line

_ENDINGS = {
    "pass": Ending.PASSED,
    "xpass": Ending.PASSED,
    "fail": Ending.FAILED,
    "xfail": Ending.FAILED,
    "crash": Ending.CRASHED,
    "timeout": Ending.OUT_OF_TIME,
    "skip": Ending.NOT_RUN,
    "dup": Ending.NOT_RUN,
    "not-an-op": Ending.NOT_RUN,
    "error(ref)": Ending.BROKEN,
    "build-error": Ending.BROKEN,
}
"""By status. A duplicate has the ending of the case that represents it, if that was run."""
_EXPECTED = {
    "skip": Status.NOT_SUPPORTED_SKIP,
    "xfail": Status.KNOWN_FAILURE_XFAIL,
    "xpass": Status.KNOWN_FAILURE_XFAIL,
}
"""By what the plugin says it expected, else by the status."""
_SAYS_SO = ("model", "name", "op", "status", "backend")
"""The properties by which a testcase of the plugin is recognised."""
_PARTS = ("build", "eager", "compile", "run")
_PLAIN = "none"
_EAGER = "eager"


def is_case(case: Testcase) -> bool:
    """Whether a testcase belongs to an op case."""
    return all(name in case.properties for name in _SAYS_SO)


def document_of(case: Testcase) -> CaseDocument:
    """The plugin's result of one op case, from the properties of its testcase."""
    said = case.properties
    seconds = {name: _number(said.get(f"{name}_seconds")) for name in _PARTS}
    return {**said, "id": f"{said['model']}::{said['name']}", "seconds": seconds}


def observe_cases(documents: Iterable[CaseDocument], setting: Setting) -> Iterator[Observation]:
    """The results of one session, in their order; duplicates take the result of the case that represents them."""
    found: dict[tuple[str, str], Observation] = {}
    copies: list[Observation] = []
    for document in documents:
        seen = observe_case(document, setting)
        if seen is None:
            continue
        if seen.op and seen.op.dup_of:
            copies.append(seen)
        else:
            found[seen.cell] = seen
    yield from found.values()
    for one in copies:
        assert one.op is not None
        same = found.get((one.op.dup_of, one.arch))
        if same is None or same.op is None:
            yield one
            continue
        op = replace(same.op, key=one.op.key or same.op.key, rtol=one.op.rtol, atol=one.op.atol, dup_of=one.op.dup_of)
        yield replace(same, test_id=one.test_id, expected=one.expected, forced=one.forced, op=op)


def observe_case(document: CaseDocument, setting: Setting) -> Observation | None:
    """The result of one op case taken alone; None if it does not say which case it is."""
    id, status = _text(document, "id"), _text(document, "status")
    backend = _text(document, "backend") or setting.arch
    if not id or not backend or status not in _ENDINGS:
        return None
    ending = _ENDINGS[status]
    expected = _EXPECTED.get(_text(document, "expected") or status, Status.EXPECTED_PASSING)
    numbers = CaseNumbers(
        status=status,
        key=_text(document, "key"),
        rtol=_number(document.get("rtol")) or 0.0,
        atol=_number(document.get("atol")) or 0.0,
        max_abs=_number(document.get("max_abs")),
        max_rel=_number(document.get("max_rel")),
        mismatched=_number(document.get("mismatched")),
        pcc=_number(document.get("pcc")),
        dup_of=_text(document, "dup_of"),
        device=_text(document, "device"),
        torch=_text(document, "torch"),
    )
    passed = ending is Ending.PASSED
    return Observation(
        test_id=id,
        function=Function.OP_CASE,
        arch=_EAGER if backend == _PLAIN else backend,
        origin=setting.origin,
        run=setting.run,
        when=setting.when,
        host=setting.host,
        ending=ending,
        expected=expected,
        forced=expected is Status.NOT_SUPPORTED_SKIP and ending is not Ending.NOT_RUN,
        stage=_stage(ending, numbers),
        reason="" if passed else plain_line(str(document.get("message") or "").partition("\n")[0]),
        seconds=duration(case_seconds(document)),
        job=setting.job,
        source=setting.source,
        commit=setting.commit,
        models_commit=setting.models_commit,
        op=numbers,
    )


def _stage(ending: Ending, numbers: CaseNumbers) -> BringupStatus:
    if ending is Ending.PASSED:
        return BringupStatus.PASSED
    compared = ending is Ending.FAILED and numbers.max_abs is not None
    return BringupStatus.INCORRECT_RESULT if compared else BringupStatus.UNKNOWN


def _text(document: Mapping[str, Any], name: str) -> str:
    value = document.get(name)
    return clean(value) if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    """A number, also if an XML file has it as text."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    return finite(value)
