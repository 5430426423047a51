# SPDX-License-Identifier: Apache-2.0
"""The triggers of each preset, read from the workflows that name it (docs/rules.md 3.5)."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from core.base.errors import TTMatrixError
from core.base.files import is_there, read_text
from core.domain.model import Finding
from core.sources.checkout import Checkout
from core.sources.ci.workflows import Workflow, read_workflows

DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY_RANGE = re.compile(r"(?:\*|(?P<first>\w+)(?:-(?P<last>\w+))?)(?:/(?P<step>[1-9]\d*))?")


def cron_days(cron: str) -> frozenset[int]:
    """The days of the week on which a cron line always fires, from 0 for Sunday; none for a malformed line.

    A line that is bound to days of the month fires on no certain weekday.
    """
    fields = cron.split()
    if len(fields) != 5 or fields[2:4] != ["*", "*"]:
        return frozenset()
    return frozenset(day % len(DAYS) for part in fields[4].split(",") for day in _day_range(part))


def _day_range(part: str) -> range:
    match = _DAY_RANGE.fullmatch(part)
    if match is None:
        return range(0)
    if match["first"] is None:
        return range(0, len(DAYS), int(match["step"] or 1))
    first, last = _day(match["first"]), _day(match["last"] or match["first"])
    return range(0) if first is None or last is None else range(first, last + 1, int(match["step"] or 1))


def _day(text: str) -> int | None:
    if text.lower() in DAYS:
        return DAYS.index(text.lower())
    # Cron accepts both 0 and 7 for Sunday.
    return int(text) if text in set("01234567") else None


UPLIFTS = PurePosixPath(".github/scripts/uplift/uplift-config.json")
"""Which preset runs for a pull request that raises the version of a dependency."""


class Cadence(StrEnum):
    """How often CI runs a preset by itself, most often first."""

    PUSH = "push"
    """For every pull request or push to main."""
    NIGHTLY = "nightly"
    """Every day of the week."""
    WEEKLY = "weekly"
    """On some days only."""
    UPLIFT = "uplift"
    """For pull requests that raise the version of a dependency."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """One workflow that runs a preset automatically."""

    workflow: str
    """File name of the workflow."""
    cadence: Cadence
    crons: tuple[str, ...] = ()
    """UTC; empty: not on a schedule."""

    @property
    def scheduled(self) -> bool:
        """Whether it runs regularly: an uplift may never come."""
        return self.cadence is not Cadence.UPLIFT


BUILT_IN: Mapping[str, tuple[Trigger, ...]] = {
    "model-test-push.json": (Trigger("pr-main.yml", Cadence.PUSH), Trigger("push-main.yml", Cadence.PUSH)),
    "model-test-passing.json": (Trigger("schedule-nightly.yml", Cadence.NIGHTLY),),
    "model-test-xfail.json": (Trigger("schedule-nightly.yml", Cadence.NIGHTLY),),
    "model-test-experimental.json": (Trigger("schedule-nightly-experimental.yml", Cadence.NIGHTLY),),
    "model-test-passing-weekly.json": (Trigger("schedule-weekly.yml", Cadence.WEEKLY),),
    "model-test-xfail-weekly.json": (Trigger("schedule-weekly.yml", Cadence.WEEKLY),),
    "model-test-training-xfail-weekly.json": (Trigger("schedule-weekly-training.yml", Cadence.WEEKLY),),
}
"""The triggers in upstream's workflows of August 2026, for a checkout that has presets and no workflows."""

Triggers = Mapping[str, tuple[Trigger, ...]]
"""Triggers by preset file; a preset without any only runs when a person starts it."""


def read_triggers(checkout: Checkout) -> tuple[Triggers, tuple[Finding, ...]]:
    """The triggers of each preset. A workflow that cannot be read is a finding and triggers nothing."""
    workflows, findings = read_workflows(checkout)
    if not workflows and not findings:
        return BUILT_IN, ()
    found: dict[str, dict[Trigger, None]] = {}
    for name in sorted(workflows):
        if trigger := _trigger(name, workflows[name]):
            for preset in _presets(name, workflows, ()):
                found.setdefault(preset, {})[trigger] = None
    for preset in _uplift_presets(checkout, findings):
        found.setdefault(preset, {})[Trigger(UPLIFTS.name, Cadence.UPLIFT)] = None
    return {preset: tuple(triggers) for preset, triggers in found.items()}, tuple(findings)


def _presets(name: str, workflows: Mapping[str, Workflow], callers: tuple[str, ...]) -> Iterator[str]:
    """Preset files that a workflow runs, itself or through the workflows it calls."""
    if name in callers or name not in workflows:
        return
    yield from workflows[name].presets
    for called in workflows[name].calls:
        yield from _presets(called, workflows, (*callers, name))


def cadence_of(name: str, workflow: Workflow) -> str:
    """How often a workflow runs by itself; empty: when a person starts it."""
    trigger = _trigger(name, workflow)
    return trigger.cadence.value if trigger else ""


def cadence_text(triggers: Iterable[Trigger]) -> str:
    """How often a job runs by itself, each cadence once; empty: when a person starts it."""
    return " ".join(dict.fromkeys(one.cadence for one in triggers))


def _trigger(name: str, workflow: Workflow) -> Trigger | None:
    if workflow.events & {"push", "pull_request"}:
        return Trigger(name, Cadence.PUSH)
    if workflow.crons:
        days = {day for cron in workflow.crons for day in cron_days(cron)}
        return Trigger(name, Cadence.NIGHTLY if len(days) == len(DAYS) else Cadence.WEEKLY, workflow.crons)
    return None


def _uplift_presets(checkout: Checkout, findings: list[Finding]) -> list[str]:
    path = checkout.root / UPLIFTS
    if not is_there(path):
        return []
    try:
        return presets_of_uplifts(read_text(path))
    except (TTMatrixError, ValueError, RecursionError) as error:
        findings.append(Finding("broken-workflow", f"Cannot be read: {error}", str(UPLIFTS)))
        return []


def presets_of_uplifts(text: str) -> list[str]:
    """The presets in the table of uplifts. Raises ValueError or RecursionError."""
    document = json.loads(text)
    entries = [one for one in document if isinstance(one, dict)] if isinstance(document, list) else []
    return [preset for entry in entries if isinstance(preset := entry.get("test_matrix"), str)]
