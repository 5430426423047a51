# SPDX-License-Identifier: Apache-2.0
"""What makes CI run a preset."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.sources import Checkout
from core.sources.ci import Trigger
from core.sources.ci.triggers import BUILT_IN, Cadence, read_triggers
from tests.support.tree import sample

CALL = "jobs:\n  a:\n    uses: ./.github/workflows/{called}\n    with:\n      test_suite: {preset}\n"


def _schedule(cron: str) -> str:
    return f"on:\n  schedule:\n    - cron: '{cron}'\n"


def _call(preset: str, called: str = "call-test.yml") -> str:
    return CALL.format(called=called, preset=preset)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path)


def _read(checkout: Checkout, workflows: Mapping[str, str]) -> Mapping[str, tuple[Trigger, ...]]:
    directory = checkout.presets.parent
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in workflows.items():
        (directory / name).write_text(text)
    triggers, findings = read_triggers(checkout)
    assert findings == ()
    return triggers


def test_cadence_by_the_days_of_all_crons(checkout: Checkout) -> None:
    triggers = _read(
        checkout,
        {
            "daily.yml": _schedule("0 4 * * *") + _call("a.json"),
            "saturday.yml": _schedule("0 8 * * 6") + _call("b.json"),
            "monthly.yml": _schedule("0 8 1 * *") + _call("c.json"),
            "pr.yml": "on: pull_request\n" + _call("d.json"),
            "manual.yml": "on: workflow_dispatch\n" + _call("e.json"),
        },
    )
    assert {preset: [one.cadence for one in found] for preset, found in triggers.items()} == {
        "a.json": [Cadence.NIGHTLY],
        "b.json": [Cadence.WEEKLY],
        "c.json": [Cadence.WEEKLY],
        "d.json": [Cadence.PUSH],
    }
    assert triggers["a.json"] == (Trigger("daily.yml", Cadence.NIGHTLY, ("0 4 * * *",)),)


def test_a_preset_can_have_several(checkout: Checkout) -> None:
    triggers = _read(
        checkout, {"pr.yml": "on: pull_request\n" + _call("a.json"), "main.yml": "on: push\n" + _call("a.json")}
    )
    assert [one.workflow for one in triggers["a.json"]] == ["main.yml", "pr.yml"]


def test_called_workflows_count_for_their_callers_and_cycles_end(checkout: Checkout) -> None:
    triggers = _read(
        checkout,
        {
            "daily.yml": _schedule("0 4 * * *") + _call("x.json", "middle.yml"),
            "middle.yml": "on: workflow_call\n" + _call("deep.json", "daily.yml"),
        },
    )
    assert {preset: [one.workflow for one in found] for preset, found in triggers.items()} == {
        "x.json": ["daily.yml"],
        "deep.json": ["daily.yml"],
    }


def test_uplifts_are_no_schedule(checkout: Checkout) -> None:
    config = checkout.root / ".github/scripts/uplift/uplift-config.json"
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps([{"name": "x", "test_matrix": "a.json"}, {"name": "no matrix"}, 3]))
    (trigger,) = _read(checkout, {"main.yml": "on: push\n"})["a.json"]
    assert trigger.cadence is Cadence.UPLIFT
    assert not trigger.scheduled
    config.write_text("[")
    assert [one.kind for one in read_triggers(checkout)[1]] == ["broken-workflow"]


def test_without_workflows_the_built_in_table_counts(checkout: Checkout) -> None:
    assert read_triggers(checkout) == (BUILT_IN, ())
    assert all(trigger.scheduled for triggers in BUILT_IN.values() for trigger in triggers)


def test_workflows_that_name_no_preset_mean_that_none_runs_by_itself(checkout: Checkout) -> None:
    assert _read(checkout, {"main.yml": "on: push\n"}) == {}
