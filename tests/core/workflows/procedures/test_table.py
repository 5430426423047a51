# SPDX-License-Identifier: Apache-2.0
"""core.workflows.procedures.table: which workflow a failure belongs to, and which entries are rejected."""

from pathlib import Path
from typing import Any

import pytest

from core.workflows.conclusion import alone
from core.workflows.procedures import AUTO, WORKFLOWS, workflow
from core.workflows.procedures.table import pick, workflow_for
from core.workflows.repro import Repro
from tests.support.triage import (
    LOADER,
    MISMATCH,
    NO_HANDLER,
    NO_KERNEL,
    REGISTRY,
    TARGET,
    case,
    cpu,
    member,
    play,
    repro,
    shown,
)

OVERRIDDEN = "class ModelLoader:\n    def unpack_forward_output(self, output):\n        return output[0]\n"
BATCH = "ValueError: Expected more than 1 value per channel when training"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (MISMATCH, "dtype-bfloat16"),
        (NO_KERNEL, "dtype-bfloat16"),
        (NO_HANDLER, "unpack-forward-output"),
        (BATCH, "missing-inputs"),
        ("ValueError: x", ""),
        ("", ""),
    ],
)
def test_a_text_belongs_to_one_workflow(text: str, name: str) -> None:
    assert workflow_for(text) == name
    assert sum(bool(kind.flavour_of(text)) for kind in WORKFLOWS.values()) == bool(name)


@pytest.mark.parametrize(
    ("reason", "live", "name", "told"),
    [
        (MISMATCH, MISMATCH, "dtype-bfloat16", "as the entry says"),
        (NO_HANDLER, MISMATCH, "dtype-bfloat16", "although the entry's reason is"),
        ("", BATCH, "missing-inputs", "(none)"),
        (NO_HANDLER, "", "unpack-forward-output", "its CPU repro passes"),
        (MISMATCH, "ValueError: x", "", "No workflow handles this failure: ValueError: x"),
        ("hangs", "", "", "no workflow handles its entry's reason: hangs"),
        ("", "", "", "its entry gives no reason to go by"),
        ("TT_FATAL: no room", "", "", "a failure that only a device has: TT_FATAL: no room"),
        ("error: 'ttir.sum' op no", "", "", f"Run it on a device: `ttmatrix run {TARGET} --kind device`"),
    ],
)
def test_what_the_cpu_shows_counts_more_than_what_the_entry_says(reason: str, live: str, name: str, told: str) -> None:
    found, why = pick(reason, Repro.of(repro(TARGET, live)))
    assert found == name
    assert told in why


def test_auto_looks_once_and_hands_what_it_saw_on() -> None:
    about = case(member(TARGET, "something stale"))
    _, report, effects = play(workflow(AUTO), about, cpu({TARGET: (NO_KERNEL, "")}, {}))
    assert (report.workflow, report.flavour) == ("dtype-bfloat16", "op_not_implemented")
    assert [effect.title for effect in effects] == [f"CPU repro, as it is: {TARGET}", f"run on a device: {TARGET}"]


def test_a_loader_with_an_override_is_run_once_before_the_device_is_asked() -> None:
    about = case(member(TARGET, NO_HANDLER), sources={LOADER: OVERRIDDEN, REGISTRY: ""})
    _, report, effects = play(workflow(AUTO), about, cpu({}, {}, [shown(TARGET, "passed")]))
    assert report.decision == "already-handled"
    assert [effect.title for effect in effects] == [f"CPU repro, as it is: {TARGET}", f"run on a device: {TARGET}"]


@pytest.mark.parametrize("name", ["dtype-bfloat16", "missing-inputs"])
def test_a_workflow_that_is_asked_for_turns_other_reasons_away_before_anything_runs(name: str) -> None:
    _, report, effects = play(workflow(name), case(member(TARGET, "ValueError: x")), lambda *_: None)
    assert effects == []
    assert "The failing reason here is: ValueError: x." in str(report.aborted)
    _, report, effects = play(workflow(name), case(member(TARGET, "")), lambda *_: None)
    assert effects == []
    assert "The failing reason here is: (none). Without --workflow, the CPU run picks one." in str(report.aborted)


def test_every_workflow_says_what_it_is_for() -> None:
    assert set(WORKFLOWS) == {"dtype-bfloat16", "unpack-forward-output", "missing-inputs"}
    assert all(kind.help for kind in WORKFLOWS.values())


def test_the_workflow_of_the_guide_works() -> None:
    guide = (Path(__file__).parents[4] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    source = next(block for block in guide.split("```python\n")[1:] if '"""no-gradient' in block).partition("```")[0]
    scope: dict[str, Any] = {}
    exec(compile(source, "CONTRIBUTING.md", "exec"), scope)
    error = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"
    assert scope["flavour"](error) == "no_gradient"
    about = case(member(TARGET, "", "NOT_SUPPORTED_SKIP"))
    _, report, _ = play(alone(scope["no_gradient"]), about, cpu({TARGET: (error, error)}, {}))
    assert (report.flavour, report.decision) == ("no_gradient", "expected-failure")
    assert {op.value for op in report.operations} == {"KNOWN_FAILURE_XFAIL", "FAILED_FE_COMPILATION", error}
    assert play(alone(scope["no_gradient"]), about, cpu({}, {}))[1].aborted
