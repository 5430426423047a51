# SPDX-License-Identifier: Apache-2.0
"""What commands change beside the screen, by their stable ids: what a read-only app refuses, and with which words."""

from enum import StrEnum


class Effect(StrEnum):
    """What a command changes for others: its words in "this would ..."."""

    EDITS = "change pending edits"
    FILES = "write files"
    RUNS = "start, stop or reorder runs"
    WORKFLOWS = "change workflows"
    HOSTS = "take machines up or down"


EFFECTS: dict[str, Effect] = {
    "matrix.run": Effect.RUNS,
    "matrix.run_with": Effect.RUNS,
    "matrix.bisect": Effect.RUNS,
    "matrix.extract": Effect.FILES,
    "matrix.triage": Effect.WORKFLOWS,
    "matrix.set": Effect.EDITS,
    "matrix.change": Effect.EDITS,
    "matrix.open": Effect.FILES,
    "matrix.loader": Effect.FILES,
    "runs.cancel": Effect.RUNS,
    "runs.again": Effect.RUNS,
    "runs.rest": Effect.RUNS,
    "runs.hold": Effect.RUNS,
    "runs.first": Effect.RUNS,
    "runs.last": Effect.RUNS,
    "runs.source": Effect.FILES,
    "triage.accept": Effect.EDITS,
    "triage.reject": Effect.EDITS,
    "triage.accept_rest": Effect.EDITS,
    "triage.reject_rest": Effect.EDITS,
    "triage.decide": Effect.EDITS,
    "triage.undo": Effect.EDITS,
    "triage.redo": Effect.EDITS,
    "triage.run": Effect.RUNS,
    "clusters.text": Effect.EDITS,
    "clusters.issue": Effect.EDITS,
    "clusters.run": Effect.RUNS,
    "clusters.propose": Effect.EDITS,
    "review.accept": Effect.EDITS,
    "review.reject": Effect.EDITS,
    "review.accept_rest": Effect.EDITS,
    "review.reject_rest": Effect.EDITS,
    "review.edit": Effect.EDITS,
    "review.theirs": Effect.EDITS,
    "review.ours": Effect.EDITS,
    "review.undo": Effect.EDITS,
    "review.redo": Effect.EDITS,
    "review.write": Effect.FILES,
    "review.commit": Effect.FILES,
    "doctor.fix": Effect.EDITS,
    "doctor.open": Effect.FILES,
    "workflows.choose": Effect.WORKFLOWS,
    "workflows.accept": Effect.WORKFLOWS,
    "workflows.drop": Effect.WORKFLOWS,
    "workflows.go_on": Effect.WORKFLOWS,
    "workflows.result": Effect.WORKFLOWS,
    "plan.queue": Effect.RUNS,
    "hosts.up": Effect.HOSTS,
    "hosts.up_all": Effect.HOSTS,
    "hosts.down": Effect.HOSTS,
}
"""Every command that has one; all others only show something, or write what is the app's own: marks, copies."""


def refusal(command: str, *, read_only: bool) -> str:
    """Why a command does not work now; empty: it does."""
    effect = EFFECTS.get(command)
    return f"Read-only: this would {effect}." if read_only and effect is not None else ""
