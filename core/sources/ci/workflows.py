# SPDX-License-Identifier: Apache-2.0
"""CI workflows: when they run, which presets they name and which workflows they call."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.domain.model import Finding
from core.sources.checkout import Checkout
from core.sources.ci.outputs import ReadOutput, WorkflowJob, given_outputs, workflow_jobs
from core.sources.yaml_syntax import compose_yaml

_WORKFLOWS = PurePosixPath(".github/workflows")
_LOCAL = f"./{_WORKFLOWS}/"
_SUITE = "test_suite"
_EXPRESSION = "${{"
_PRESET_NAME = re.compile(r"[\w.-]+\.json")


class Reference(NamedTuple):
    """A preset or another workflow that a workflow names, by file name."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Workflow:
    """The parts of one workflow file that matter for presets."""

    events: frozenset[str] = frozenset()
    """Names under `on`."""
    crons: tuple[str, ...] = ()
    """Its schedule, UTC."""
    presets: tuple[str, ...] = ()
    """Preset files its own jobs name as `test_suite`."""
    calls: tuple[str, ...] = ()
    """File names of the workflows its jobs use."""
    references: tuple[Reference, ...] = ()
    """The presets and workflows that it runs or offers for a choice, with their lines."""
    mentions: frozenset[str] = frozenset()
    """Every name like that of a preset in any of its texts; comments have none."""
    jobs: Mapping[str, WorkflowJob] = field(default_factory=dict)
    reads: tuple[ReadOutput, ...] = ()
    """The outputs of jobs and steps that its jobs read."""
    outputs: frozenset[str] = frozenset()
    """Those that it has for workflows that call it."""


def read_workflows(checkout: Checkout) -> tuple[dict[str, Workflow], list[Finding]]:
    """The workflows of the checkout by file name. One that cannot be read is a finding."""
    workflows: dict[str, Workflow] = {}
    findings: list[Finding] = []
    directory = checkout.root / _WORKFLOWS
    for path in sorted((*directory.glob("*.yml"), *directory.glob("*.yaml"))):
        try:
            workflows[path.name] = _workflow(read_text(path))
        except (TTMatrixError, YAMLError, RecursionError) as error:
            findings.append(Finding("broken-workflow", f"Cannot be read: {error}", checkout.relative(path)))
    return workflows, findings


@lru_cache(maxsize=128)
def _workflow(written: str) -> Workflow:
    """A workflow by its text: doctor asks several times for all of them, of states that have most in common."""
    document = compose_yaml(written)
    root = _mapping(_plain(document))
    own, reads = workflow_jobs(document)
    events = root.get("on")
    jobs = [_mapping(job) for job in _mapping(root.get("jobs")).values()]
    uses = [text for job in jobs if isinstance(text := job.get("uses"), str)]
    suites = [text for job in jobs if isinstance(text := _mapping(job.get("with")).get(_SUITE), str)]
    return Workflow(
        events=_events(events),
        crons=_crons(_mapping(events).get("schedule")),
        # The value of an expression is only known at run time; several files are separated by colons.
        presets=tuple(name for text in suites if _EXPRESSION not in text for name in text.split(":")),
        calls=tuple(text.removeprefix(_LOCAL) for text in uses if text.startswith(_LOCAL)),
        references=tuple(_references(document)),
        mentions=frozenset(name for text in _texts(document) for name in _PRESET_NAME.findall(text.value)),
        jobs=own,
        reads=reads,
        outputs=given_outputs(document),
    )


def _references(node: Node | None, key: str = "") -> Iterator[Reference]:
    """The names of files that a workflow runs: values of `test_suite` and `uses`, and the choices that it offers."""
    match node:
        case MappingNode():
            for name, value in node.value:
                yield from _references(value, str(name.value))
                if name.value == _SUITE and isinstance(value, MappingNode):
                    yield from _choices(value)
        case SequenceNode():
            for item in node.value:
                yield from _references(item)
        case ScalarNode() if key == _SUITE or (key == "uses" and node.value.startswith(_LOCAL)):
            yield from _named(node)
        case _:
            pass


def _choices(inputs: MappingNode) -> Iterator[Reference]:
    """The presets that an input of a workflow offers."""
    yield from (found for text in _texts(inputs) for found in _named(text) if found.name.endswith(".json"))


def _named(node: ScalarNode) -> Iterator[Reference]:
    text, line = str(node.value), node.start_mark.line + 1
    if _EXPRESSION not in text and " " not in text:
        names = text.removeprefix(_LOCAL).split(":")
        yield from (Reference(name, line) for name in names if name.endswith((".json", ".yml", ".yaml")))


def _texts(node: Node | None) -> Iterator[ScalarNode]:
    match node:
        case MappingNode():
            for _, value in node.value:
                yield from _texts(value)
        case SequenceNode():
            for item in node.value:
                yield from _texts(item)
        case ScalarNode():
            yield node
        case _:
            pass


def _events(value: object) -> frozenset[str]:
    """`on` is one name, a list of names, or a mapping by name."""
    if isinstance(value, str):
        return frozenset({value})
    return frozenset(str(name) for name in value) if isinstance(value, list | dict) else frozenset()


def _crons(schedule: object) -> tuple[str, ...]:
    lines = [_mapping(one).get("cron") for one in schedule] if isinstance(schedule, list) else []
    return tuple(line for line in lines if isinstance(line, str))


def _plain(node: Node | None) -> object:
    """The content of a YAML tree with every scalar as text: YAML 1.1 would read the key `on` as true."""
    match node:
        case MappingNode():
            return {str(key.value): _plain(value) for key, value in node.value}
        case SequenceNode():
            return [_plain(item) for item in node.value]
        case ScalarNode():
            return str(node.value)
    return None


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}
