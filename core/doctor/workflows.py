# SPDX-License-Identifier: Apache-2.0
"""Outputs that a workflow reads and that nothing sets: GitHub puts an empty text there, without a word."""

import difflib
from collections.abc import Collection, Iterator, Mapping

from core.doctor.check import Check
from core.domain.model import Finding
from core.sources.ci import ReadOutput, Workflow, called_workflow

UNSET_OUTPUT = Check("unset-output", "an output of a job or step that a workflow reads and that nothing sets")


def output_findings(workflows: Mapping[str, Workflow]) -> Iterator[Finding]:
    """Outputs that nothing sets, each at the line that reads it."""
    for name, workflow in sorted(workflows.items()):
        told: set[tuple[str, int]] = set()
        for read in workflow.reads:
            why = _of_step(read, workflow) if read.step else _of_job(read, workflow, workflows)
            if why and (read.text, read.line) not in told:
                told.add((read.text, read.line))
                message = f"{read.text} is always empty: {why}"
                yield Finding(UNSET_OUTPUT.kind, message, f".github/workflows/{name}", read.line)


def _of_step(read: ReadOutput, workflow: Workflow) -> str:
    steps = workflow.jobs[read.reader].steps
    return "" if read.step in steps else f"no step of {read.reader} has the id {read.step}{_hint(read.step, steps)}"


def _of_job(read: ReadOutput, workflow: Workflow, workflows: Mapping[str, Workflow]) -> str:
    job = workflow.jobs.get(read.job)
    if job is None:
        return f"there is no job {read.job}{_hint(read.job, workflow.jobs)}"
    if read.job not in workflow.jobs[read.reader].needs:
        return f"{read.reader} does not name {read.job} in its needs"
    called = workflows.get(called_workflow(job)) if job.uses else None
    if job.uses and called is None:
        return ""
    outputs = called.outputs if called else job.outputs
    if read.output not in outputs:
        return f"{read.job} has no output {read.output}{_hint(read.output, outputs)}"
    return f"{read.output} is a text, of which nothing can be read" if read.within else ""


def _hint(name: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, sorted(known), 1)
    return f"; did you mean {near[0]}?" if near else ""
