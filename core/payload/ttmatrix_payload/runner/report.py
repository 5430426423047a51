# SPDX-License-Identifier: Apache-2.0
"""The JUnit properties of a test, with upstream's names, order and spelling (docs/rules.md 4.4, 4.6). Pure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any

from .expectations import Expectation
from .parameters import JAX, PLACEHOLDER, Case
from .reasons import PCC_DISABLED, SKIPPED, FailingReason

DEFAULT_ATOL = 0.16

Property = tuple[str, Any]


@dataclass
class Facts:
    """The facts about a test at its end."""

    case: Case
    expectation: Expectation
    model_name: str
    group: str | None = None
    model_info: Mapping[str, Any] = field(default_factory=dict)
    backend: str = ""
    """The backend that ran the model; empty if none was chosen."""
    profile: str = ""
    """The profile in use; empty: none."""
    execution: Any = None
    """The `execute.Execution`; None: the model was not executed."""
    passed: bool = False
    live_reason: str = ""
    """Why the test raised; empty if it did not."""
    stage: str = "UNKNOWN"
    """The bring-up status of a failure, by the stage that was reached."""
    failing_reason: FailingReason = field(default_factory=FailingReason)

    def begin(self, execution: Any) -> None:
        """Record that model and inputs exist; `execution` is filled from now on."""
        self.execution = execution

    @property
    def comparisons(self) -> Sequence[Any]:
        return self.execution.comparisons if self.execution else ()


@dataclass(frozen=True)
class Shown:
    """The facts as a report shows them."""

    bringup_status: str | None
    reason: str | None
    """The property `error_message`; None if there is no message."""
    failing_reason: FailingReason


def shown(facts: Facts) -> Shown:
    """Apply the first rule that fits: entry says skip, placeholder, results, failure (docs/rules.md 4.4)."""
    expected = facts.expectation
    if expected.status == "NOT_SUPPORTED_SKIP":
        return Shown(expected.bringup_status, expected.reason, SKIPPED)
    if expected.bringup_status == "NOT_STARTED":
        return Shown(expected.bringup_status, expected.reason, facts.failing_reason)
    if facts.comparisons:
        return _of_results(facts)
    return Shown(facts.stage, facts.live_reason or expected.reason or "Not specified", facts.failing_reason)


def _of_results(facts: Facts) -> Shown:
    required, checked = required_pcc(facts.expectation), checks_pcc(facts.expectation)
    count, found = len(facts.comparisons), []
    for number, one in enumerate(facts.comparisons, start=1):
        if one.pcc is not None and (math.isnan(one.pcc) or one.pcc < required):
            check = "enabled" if checked else "disabled"
            told = f"Calculated: pcc={one.pcc}. Required: pcc={required}."
            found.append(f"[{number}/{count}]: PCC check {check}. {told}")
    if found:
        reason = "Test marked w/ INCORRECT_RESULT. " + " | ".join(found)
        return Shown("INCORRECT_RESULT", reason, facts.failing_reason if checked else PCC_DISABLED)
    # Upstream ends with an UnboundLocalError if only a check other than PCC failed.
    return Shown("PASSED" if facts.passed else "INCORRECT_RESULT", facts.live_reason, facts.failing_reason)


def properties(facts: Facts) -> list[Property]:
    """All properties, in order. The last ones are ours: upstream has only one backend, and prints its FileChecks."""
    result = shown(facts)
    found: list[Property] = [("error_message", result.reason)] if result.reason else []
    found += [("tags", plain(tags(facts, result))), ("owner", "tt-xla")]
    if facts.group is not None:
        found.append(("group", facts.group))
    if facts.execution is not None:
        found += [("backend", str(facts.execution.backend)), ("device", str(facts.execution.device))]
        found.append(("performance", json.dumps(facts.execution.performance)))
        if facts.execution.ignored_options:
            found.append(("ignored_options", ", ".join(facts.execution.ignored_options)))
        if lines := filecheck_lines(facts.execution.filechecks):
            found.append(("filechecks", "\n".join(lines)))
    elif facts.backend:
        found.append(("backend", facts.backend))
    if facts.profile:
        found.append(("profile", facts.profile))
    return found


def filecheck_lines(checks: Sequence[Any]) -> list[str]:
    """The result of each pattern, in words."""
    words = {True: "passed", False: "failed", None: "not checked"}
    return [
        f"FileCheck {one.pattern}: {words[one.passed]}{f', {one.message}' if one.message else ''}" for one in checks
    ]


def tags(facts: Facts, result: Shown) -> dict[str, Any]:
    """The property `tags`."""
    found = common_tags(facts.case, facts.expectation, facts.model_name, facts.model_info)
    found.update(
        bringup_status=str(result.bringup_status),
        failing_reason=asdict(result.failing_reason),
        weights_dtype=_weights_dtype(facts),
    )
    # Upstream counts parameters only for torch models.
    if facts.execution and facts.case.function != JAX and (size := facts.execution.model_size_billions) is not None:
        found["model_size_billions"] = size
    if facts.expectation.execution_pass is not None:
        found["execution_pass"] = str(facts.expectation.execution_pass)
    told = telling(facts.comparisons)
    if told is not None:
        found.update(
            pcc=told.pcc, atol=told.atol, comparison_passed=told.passed, comparison_error_message=told.error_message
        )
    if facts.execution is not None:
        found.update(_thresholds(facts.expectation))
    pcc = told.pcc if told is not None else None
    required, checked = required_pcc(facts.expectation), checks_pcc(facts.expectation)
    # Always last in the report.
    del found["guidance"]
    found["guidance"] = guidance(pcc, required, checked, facts.expectation.status, result.bringup_status)
    return found


def common_tags(case: Case, expectation: Expectation, model_name: str, model_info: Mapping[str, Any]) -> dict[str, Any]:
    """The tags of every report; the values are for a run that crashed and left no facts (docs/rules.md 4.3)."""
    return {
        "test_name": case.function,
        "specific_test_case": case.name,
        "category": "model_test",
        "model_name": model_name,
        "model_info": dict(model_info),
        "run_mode": case.mode,
        "run_phase": case.phase,
        "bringup_status": "UNKNOWN",
        "model_test_status": f"ModelTestStatus.{expectation.status}",
        "failing_reason": asdict(FailingReason()),
        "parallelism": case.parallelism,
        "arch": expectation.arch,
        "seq_len": case.seq_len,
        "batch_size": expectation.batch_size if case.batch_size is None else case.batch_size,
        "weights_dtype": "bfp8" if expectation.enable_weight_bfp8_conversion else "bfloat16",
        "guidance": [],
    }


def crash_properties(case: Case, expectation: Expectation, backend: str = "") -> list[Property]:
    """The properties of a test whose process died in `backend`."""
    assert case.function != PLACEHOLDER and case.model is not None
    info = case.model.info
    found = common_tags(case, expectation, str(info.name), info.to_report_dict())
    if case.phase != "default":
        found.update(parallelism=None, seq_len=None, batch_size=None)
    group = [] if case.model.group is None else [("group", case.model.group)]
    named = [("backend", backend)] if backend else []
    return [("tags", plain(found)), ("owner", "tt-xla"), *group, *named]


def telling(comparisons: Sequence[Any]) -> Any:
    """The result whose numbers go into reports: the first failed one, else the last; None without any."""
    return next((one for one in comparisons if not one.passed), comparisons[-1] if comparisons else None)


def required_pcc(expectation: Expectation) -> float:
    return DEFAULT_PCC if expectation.required_pcc is None else expectation.required_pcc


def checks_pcc(expectation: Expectation) -> bool:
    return expectation.assert_pcc is not False


def _thresholds(expectation: Expectation) -> dict[str, Any]:
    atol = expectation.required_atol
    return {
        "pcc_threshold": required_pcc(expectation),
        "atol_threshold": DEFAULT_ATOL if atol is None else atol,
        "pcc_assertion_enabled": checks_pcc(expectation),
        "atol_assertion_enabled": bool(expectation.assert_atol or atol is not None),
    }


def _weights_dtype(facts: Facts) -> str:
    if facts.execution is not None:
        return facts.execution.weights_dtype or "bfloat16"
    return "bfp_bf8" if facts.expectation.enable_weight_bfp8_conversion else "bfloat16"


def plain(value: Any) -> Any:
    """`value` in Python's own types only, so that its `repr` is a literal that every reader can parse."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    for kind in (int, float, str):
        if isinstance(value, kind):
            return kind(value)
    # Numbers of numpy and torch, and other objects.
    return plain(value.item()) if callable(getattr(value, "item", None)) else str(value)


BUFFER = 0.004
"""How much better than a threshold a PCC must be before it counts."""
DEFAULT_PCC = 0.99


def guidance(pcc: float | None, required: float, checked: bool, status: str, bringup: str | None) -> list[str]:
    """The tags for one result; `checked` says whether the PCC was asserted. All comparisons are strict."""
    return [*_of_pcc(pcc, required, checked), *_of_status(status, bringup)]


def _of_pcc(pcc: float | None, required: float, checked: bool) -> list[str]:
    if pcc is None or math.isnan(pcc):
        return []
    found = []
    if not checked and pcc > required + BUFFER:
        found.append("ENABLE_PCC_099" if required >= DEFAULT_PCC else "ENABLE_PCC")
    if required < DEFAULT_PCC:
        following = min(DEFAULT_PCC, (math.floor(required * 100) + 1) / 100)
        if pcc > DEFAULT_PCC + BUFFER:
            found.append("RAISE_PCC_099")
        elif pcc > following + BUFFER:
            found.append("RAISE_PCC")
    return found


def _of_status(status: str, bringup: str | None) -> list[str]:
    if bringup not in ("PASSED", "INCORRECT_RESULT"):
        return []
    told = {"KNOWN_FAILURE_XFAIL": ["RM_XFAIL"], "UNSPECIFIED": ["ADD_CONFIG"]}
    return told.get(status, [])
