# SPDX-License-Identifier: Apache-2.0
"""Outputs of jobs and steps that a workflow reads: an expression with one that nothing sets is an empty text."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_QUOTED = re.compile(r"'(?:[^']|'')*'")
_OF_JOB = re.compile(r"\bneeds\.(?P<job>[\w-]+)\.outputs\.(?P<output>[\w-]+)(?P<rest>\.[\w-]+)?")
_OF_STEP = re.compile(r"\bsteps\.(?P<step>[\w-]+)\.(?:outputs\.[\w-]+|outcome|conclusion)\b")
_LOCAL = "./.github/workflows/"


class WorkflowJob(NamedTuple):
    """What a job of a workflow gives to others."""

    needs: frozenset[str]
    outputs: frozenset[str]
    """Those that it sets itself."""
    uses: str
    """The workflow that it calls, as written; empty: none."""
    steps: frozenset[str]
    """The ids of its steps."""


class ReadOutput(NamedTuple):
    """An output that a job reads."""

    reader: str
    line: int
    text: str
    """As it is written."""
    job: str = ""
    """The job that sets it; empty: a step of the same job."""
    output: str = ""
    within: bool = False
    """Whether something is read of it, though it is a text."""
    step: str = ""


def workflow_jobs(document: Node | None) -> tuple[dict[str, WorkflowJob], tuple[ReadOutput, ...]]:
    """The jobs of a workflow by name, and the outputs that they read."""
    jobs: dict[str, WorkflowJob] = {}
    reads: list[ReadOutput] = []
    for name, node in _items(_at(document, "jobs")):
        steps = _at(node, "steps")
        items = steps.value if isinstance(steps, SequenceNode) else []
        ids = frozenset(_text(_at(step, "id")) for step in items) - {""}
        outputs = frozenset(key for key, _ in _items(_at(node, "outputs")))
        jobs[name] = WorkflowJob(frozenset(_names(_at(node, "needs"))) - {""}, outputs, _text(_at(node, "uses")), ids)
        reads += _reads(node, name)
    return jobs, tuple(reads)


def given_outputs(document: Node | None) -> frozenset[str]:
    """The outputs that a workflow has for the workflows that call it."""
    return frozenset(key for key, _ in _items(_at(_at(_at(document, "on"), "workflow_call"), "outputs")))


def called_workflow(job: WorkflowJob) -> str:
    """The file name of the workflow of this repository that a job calls; empty: none."""
    return job.uses.removeprefix(_LOCAL) if job.uses.startswith(_LOCAL) else ""


def _reads(node: Node | None, reader: str, key: str = "") -> Iterator[ReadOutput]:
    match node:
        case MappingNode():
            for name, value in node.value:
                yield from _reads(value, reader, str(name.value))
        case SequenceNode():
            for item in node.value:
                yield from _reads(item, reader)
        case ScalarNode():
            written = str(node.value)
            expressions = _EXPRESSION.findall(written)
            for text in expressions or ([written] if key == "if" else []):
                yield from _in_expression(_QUOTED.sub("''", text), reader, node.start_mark.line + 1)
        case _:
            pass


def _in_expression(text: str, reader: str, line: int) -> Iterator[ReadOutput]:
    for match in _OF_JOB.finditer(text):
        yield ReadOutput(reader, line, match[0], match["job"], match["output"], match["rest"] is not None)
    for match in _OF_STEP.finditer(text):
        yield ReadOutput(reader, line, match[0], step=match["step"])


def _at(node: Node | None, name: str) -> Node | None:
    return next((value for key, value in _items(node) if key == name), None)


def _items(node: Node | None) -> list[tuple[str, Node]]:
    return [(str(key.value), value) for key, value in node.value] if isinstance(node, MappingNode) else []


def _text(node: Node | None) -> str:
    return str(node.value) if isinstance(node, ScalarNode) else ""


def _names(node: Node | None) -> list[str]:
    return [_text(item) for item in node.value] if isinstance(node, SequenceNode) else [_text(node)]
