# SPDX-License-Identifier: Apache-2.0
"""Unquoted values that YAML 1.1 and 1.2 read differently: the validator uses one, the runner the other.

See docs/rules.md 2.1.
"""

import re
from collections.abc import Iterator

from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from core.doctor.check import Check, Path, Written, written
from core.doctor.defaults import repair
from core.domain.model import Finding
from core.matrix import Matrix, is_flag
from core.sources import ROOT_KEY, ExpectationFile, compose_yaml

_READINGS = (
    (r"yes|Yes|YES|on|On|ON", "true", "text"),
    (r"no|No|NO|off|Off|OFF", "false", "text"),
    (r"[-+]?0[0-7_]*[0-7]", "an octal number", "a decimal number"),
    (r"[-+]?0\d*[89]\d*", "text", "a number"),
    (r"[-+]?0o[0-7]+", "text", "an octal number"),
    # YAML 1.1 wants both a point and a sign in the exponent.
    (r"[-+]?\d+[eE][-+]?\d+|[-+]?\d*\.\d*[eE]\d+", "text", "a number"),
    (r"[-+]?[1-9]\d*(?::[0-5]?\d)+(?:\.\d*)?", "a number to base 60", "text"),
)
_ANY = "|".join(pattern for pattern, _, _ in _READINGS)
_SUSPECT = re.compile(rf"[-:,\[{{]\s*(?:{_ANY})\s*(?:[,\]}}#]|$)", re.MULTILINE)


def readings(text: str) -> tuple[str, str] | None:
    """What an unquoted `text` means in YAML 1.1 and in 1.2; None if the two agree."""
    return next(((old, new) for pattern, old, new in _READINGS if re.fullmatch(pattern, text)), None)


def _ambiguous(matrix: Matrix) -> Iterator[Finding]:
    by_place = {(one.entry.file, one.entry.line): one for one in written(matrix)}
    for file in matrix.files:
        # Only the text tells a quoted word from an unquoted one, and few files need this second parse.
        if file.entries and _SUSPECT.search(file.text):
            for line, at, node in _plain_scalars(file):
                found = readings(str(node.value))
                if found is not None:
                    yield _finding(by_place[file.name, line], at, node, found)


def _finding(one: Written, at: Path, node: ScalarNode, found: tuple[str, str]) -> Finding:
    message = f"{node.value} is {found[0]} to the validator (YAML 1.1), {found[1]} to the runner (1.2)"
    fix = repair(one, at, str(node.value)) if is_flag(at[-1]) else ()
    return one.finding(YAML_VERSION.kind, message, at, fix)


def _plain_scalars(file: ExpectationFile) -> Iterator[tuple[int, Path, ScalarNode]]:
    """Every unquoted value of a parsed file, with the line of its entry and its path."""
    document = compose_yaml(file.text)
    for key, root in document.value if isinstance(document, MappingNode) else ():
        if key.value == ROOT_KEY and isinstance(root, MappingNode):
            for name, entry in root.value:
                yield from ((name.start_mark.line + 1, at, node) for at, node in _scalars(entry, ()))


def _scalars(node: Node, at: Path) -> Iterator[tuple[Path, ScalarNode]]:
    if isinstance(node, MappingNode):
        for key, value in node.value:
            yield from _scalars(value, (*at, str(key.value)))
    elif isinstance(node, SequenceNode):
        for index, item in enumerate(node.value):
            yield from _scalars(item, (*at, str(index)))
    elif isinstance(node, ScalarNode) and not node.style:
        yield at, node


YAML_VERSION = Check("yaml-version", "an unquoted value that YAML 1.1 and YAML 1.2 read differently", _ambiguous)
