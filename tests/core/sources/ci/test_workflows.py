# SPDX-License-Identifier: Apache-2.0
"""Workflow files: what runs them, what they name, what they call."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.sources import Checkout
from core.sources.ci import Workflow, read_workflows
from core.sources.ci.workflows import Reference
from tests.support.tree import sample

NIGHTLY = """\
on:
  schedule:
    - cron: '0 0 * * 1-6'
    - cron: '0 0 * * 0'
  workflow_dispatch:
jobs:
  build:
    uses: ./.github/workflows/call-build.yml
  tests:
    uses: ./.github/workflows/call-test.yml
    with:
      test_suite: a.json:b.json
  asked:
    uses: ./.github/workflows/call-test.yml
    with:
      test_suite: ${{ inputs.test_suite }}
  elsewhere:
    uses: some/action/.github/workflows/x.yml@v1
    steps: [1, 2]
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = sample(tmp_path)
    checkout.presets.parent.mkdir(parents=True)
    return checkout


def _read(checkout: Checkout, text: str) -> Workflow:
    (checkout.presets.parent / "one.yml").write_text(text)
    workflows, findings = read_workflows(checkout)
    assert findings == []
    return workflows["one.yml"]


def test_a_scheduled_workflow(checkout: Checkout) -> None:
    assert replace(_read(checkout, NIGHTLY), jobs={}) == Workflow(
        events=frozenset({"schedule", "workflow_dispatch"}),
        crons=("0 0 * * 1-6", "0 0 * * 0"),
        presets=("a.json", "b.json"),
        calls=("call-build.yml", "call-test.yml", "call-test.yml"),
        references=(
            Reference("call-build.yml", 8),
            Reference("call-test.yml", 10),
            Reference("a.json", 12),
            Reference("b.json", 12),
            Reference("call-test.yml", 14),
        ),
        mentions=frozenset({"a.json", "b.json"}),
    )


@pytest.mark.parametrize("events", ["push", "[push]", "{push: {branches: [main]}}"])
def test_events_in_every_form(checkout: Checkout, events: str) -> None:
    assert _read(checkout, f"on: {events}\n").events == {"push"}


@pytest.mark.parametrize(
    "text", ["", "3", "on:\njobs:\n", "on: {schedule: daily}\njobs: [a]\n", "jobs: {a: {with: 1}}\n"]
)
def test_what_is_not_there_is_empty(checkout: Checkout, text: str) -> None:
    assert _read(checkout, text).presets == ()
    assert _read(checkout, text).crons == ()


def test_a_broken_workflow_is_a_finding_and_the_rest_is_read(checkout: Checkout) -> None:
    (checkout.presets.parent / "bad.yaml").write_text("on: [")
    (checkout.presets.parent / "loop.yml").write_text("on: &x [*x]")
    (checkout.presets.parent / "good.yml").write_text("on: push")
    workflows, findings = read_workflows(checkout)
    assert list(workflows) == ["good.yml"]
    assert [(one.kind, Path(one.file).name) for one in findings] == [
        ("broken-workflow", "bad.yaml"),
        ("broken-workflow", "loop.yml"),
    ]
