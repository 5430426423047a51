# SPDX-License-Identifier: Apache-2.0
"""Every job of the presets, with its triggers in CI (docs/rules.md 3.5)."""

from collections.abc import Mapping

from core.domain.model import Finding
from core.sources.checkout import Checkout
from core.sources.ci.presets import Job, read_presets
from core.sources.ci.triggers import Trigger, read_triggers

Jobs = Mapping[Job, tuple[Trigger, ...]]
"""Triggers by job, in the order of file and place; a job without any only runs when a person starts it."""


def read_jobs(checkout: Checkout) -> tuple[Jobs, tuple[Finding, ...]]:
    """The jobs of the checkout. A job has the triggers of every preset that holds it, directly or by an include."""
    presets, preset_findings = read_presets(checkout)
    triggers, trigger_findings = read_triggers(checkout)
    found: dict[Job, dict[Trigger, None]] = {}
    for preset in presets:
        for job in preset.jobs:
            found.setdefault(job, {}).update(dict.fromkeys(triggers.get(preset.file, ())))
    ordered = sorted(found, key=lambda job: (job.file, job.index))
    return {job: tuple(found[job]) for job in ordered}, (*preset_findings, *trigger_findings)


def scheduled(jobs: Jobs) -> Jobs:
    """Jobs that run regularly by themselves: for every change, every day or on some days of the week."""
    return {job: triggers for job, triggers in jobs.items() if any(trigger.scheduled for trigger in triggers)}
