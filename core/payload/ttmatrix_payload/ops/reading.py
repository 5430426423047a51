# SPDX-License-Identifier: Apache-2.0
"""From the node tree of a manifest to its cases. A mistake is a problem with its place, and drops only one case."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from . import conditions
from .arguments import read_inputs, read_keywords
from .cases import (
    DEFAULT_DTYPE,
    DEFAULT_SEED,
    DEFAULT_TOLERANCE,
    Argument,
    Case,
    Condition,
    Correction,
    How,
    Manifest,
    Problem,
    Raises,
)
from .names import OpKind, is_known, kind_of, meant_by, nearest_op, refusal
from .nodes import (
    Bad,
    Field,
    Node,
    Notes,
    Place,
    Spot,
    check_tag,
    fields,
    integer,
    is_null,
    items,
    near,
    number,
    only,
    shown,
    text,
    truth,
)
from .tensor_keys import read_dtype
from .tokens import MOST_CHARACTERS

MOST_CASES = 100_000
MOST_RTOL = 1.0
MOST_ATOL = 1e4
ERRORS = (
    "RuntimeError",
    "ValueError",
    "TypeError",
    "AssertionError",
    "IndexError",
    "NotImplementedError",
)
"""Exceptions that an op may be expected to raise."""

_TOP = ("model", "default", "defaults", "op", "cases")
SETTING_KEYS = ("dtype", "seed", "rtol", "atol", "pcc", "skip_if", "xfail_reason", "xfail_if", "xfail_strict")
"""Keys of a case that the block of defaults may also have."""
CASE_KEYS = (
    "name",
    "op",
    "inputs",
    "attrs",
    "kwmap",
    "description",
    "mark",
    "marks",
    "expects_error",
    "expected_errors",
    *SETTING_KEYS,
)
_MARK = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
MOST_NAME = 300
"""Characters."""
MOST_DESCRIPTION = 100_000
"""Characters."""


class Defaults(NamedTuple):
    """The values for cases that do not set their own."""

    op: str = ""
    dtype: str = DEFAULT_DTYPE
    seed: int = DEFAULT_SEED
    rtol: float = DEFAULT_TOLERANCE
    atol: float = DEFAULT_TOLERANCE
    pcc: float | None = None
    skip_if: tuple[Condition, ...] = ()
    xfail_reason: str = ""
    xfail_if: str = ""
    xfail_strict: bool = False

    def settings(self) -> dict[str, Any]:
        """The settings by name, without the op."""
        return {name: value for name, value in self._asdict().items() if name != "op"}


class Head(NamedTuple):
    """The part of a manifest outside its cases."""

    model: str
    defaults: Defaults
    cases: Node | None
    problems: tuple[Problem, ...]


def read_manifest(root: Node | None, path: str, model: str) -> Manifest:
    """All cases of a manifest. `model` is used if the file names none: the stem of its name."""
    head = read_head(root, model)
    found: list[Case] = []
    problems = [*head.problems]
    names: dict[str, int] = {}
    for node in head.cases.value if head.cases is not None else ():
        case, wrong = read_case(node, head.defaults, names)
        problems.extend(wrong)
        if case is not None:
            found.append(case)
    return Manifest(path, head.model, tuple(found), tuple(problems))


def read_head(root: Node | None, model: str) -> Head:
    """Everything except the cases."""
    if root is None or is_null(root):
        return Head(model, Defaults(), None, (Problem("the file is empty", 1, 1),))
    notes = Notes()
    try:
        found = fields(root, _TOP, notes, "a manifest")
    except Bad as bad:
        notes.add(bad.message, bad.node, bad.hint)
        return Head(model, Defaults(), None, tuple(notes.found))
    with notes.catch():
        model = _model(found, model)
    defaults = Defaults()
    with notes.catch():
        defaults = _defaults(found, notes)
    cases = None
    with notes.catch():
        cases = _cases(found, root)
    return Head(model, defaults, cases, tuple(notes.found))


def _cases(found: Mapping[str, Field], root: Node) -> Node:
    if "cases" not in found:
        raise Bad("the manifest has no cases", root)
    node = found["cases"].value
    items(node, "cases", MOST_CASES)
    return node


def _model(found: Mapping[str, Field], default: str) -> str:
    if "model" not in found:
        return default
    node = found["model"].value
    name = text(node, "model", MOST_NAME)
    if not name.strip() or "::" in name or not name.isprintable():
        raise Bad("model must be a printable name without '::'", node)
    return name


def _defaults(found: Mapping[str, Field], notes: Notes) -> Defaults:
    if "default" in found and "defaults" in found:
        raise Bad("there are both default and defaults", found["defaults"].key, "keep one of them")
    read = Defaults()
    if "op" in found:
        with notes.catch():
            read = read._replace(op=read_op(found["op"].value, notes))
    block = found.get("defaults") or found.get("default")
    if block is None:
        return read
    return read._replace(**_overrides(fields(block.value, SETTING_KEYS, notes, block.key.value), notes))


_SINGLE: Mapping[str, Callable[[Node], object]] = {
    "dtype": read_dtype,
    "seed": lambda node: integer(node, "seed", 0, 2**63 - 1),
    "rtol": lambda node: number(node, "rtol", 0, MOST_RTOL),
    "atol": lambda node: number(node, "atol", 0, MOST_ATOL),
    "pcc": lambda node: number(node, "pcc", 0, 1),
    "skip_if": lambda node: _conditions(node),
    "xfail_reason": lambda node: text(node, "xfail_reason", MOST_CHARACTERS),
    "xfail_if": lambda node: _expression(node),
    "xfail_strict": lambda node: truth(node, "xfail_strict"),
}


def _overrides(found: Mapping[str, Field], notes: Notes) -> dict[str, Any]:
    """The values of keys that both a case and the block of defaults may have."""
    read: dict[str, Any] = {}
    for name, reader in _SINGLE.items():
        if name in found:
            with notes.catch():
                read[name] = reader(found[name].value)
    return read


def read_case(
    node: Node, defaults: Defaults, names: dict[str, int], above: int = 0
) -> tuple[Case | None, list[Problem]]:
    """One case (None if it has a mistake) and its problems.

    `names` are the case names of the file so far. `above` is the number of lines in the file before the node tree.
    """
    notes = Notes(above=above)
    case = None
    with notes.catch():
        case = _case(node, defaults, names, notes)
    problems = [problem._replace(case=notes.case) for problem in notes.found]
    return (None if notes.failed else case), problems


def _case(node: Node, defaults: Defaults, names: dict[str, int], notes: Notes) -> Case:
    line, column = node.start_mark.line + notes.above + 1, node.start_mark.column + 1
    found = fields(node, CASE_KEYS, notes, "a case")
    op = defaults.op
    if "op" in found:
        with notes.catch():
            op = read_op(found["op"].value, notes)
    elif not op:
        notes.add("the case has no op", node)
    name = op
    if "name" in found:
        with notes.catch():
            name = _name(found["name"].value)
    notes.case = name
    if name:
        check_double(name, names, line, found["name"].value if "name" in found else node, notes)
    said = read_settings(found, notes)
    inputs: tuple[Argument, ...] = ()
    if "inputs" in found:
        with notes.catch():
            inputs = read_inputs(found["inputs"].value, said.get("dtype", defaults.dtype), notes)
    description = ""
    if "description" in found:
        with notes.catch():
            description = text(found["description"].value, "description", MOST_DESCRIPTION)
    return make_case(name, op, inputs, description, {**defaults.settings(), **said}, (line, column))


def read_settings(found: Mapping[str, Field], notes: Notes) -> dict[str, Any]:
    """The settings of a case: everything except name, op, inputs and description. Unset ones are absent."""
    values = _overrides(found, notes)
    with notes.catch():
        values["expects_error"] = _errors(found, notes)
    with notes.catch():
        values["marks"] = _marks(found)
    values["keywords"] = read_keywords(found, notes)
    return values


def make_case(
    name: str,
    op: str,
    inputs: tuple[Argument, ...],
    description: str,
    settings: dict[str, Any],
    place: tuple[int, int],
) -> Case:
    """A case made of parts that have been read."""
    if settings["xfail_reason"] and not settings["xfail_if"]:
        settings["xfail_if"] = "True"
    return Case(name, op, inputs, description=description, line=place[0], column=place[1], **settings)


def check_double(name: str, names: dict[str, int], line: int, node: Node, notes: Notes) -> None:
    """Note a name that another case of the file already has."""
    if name in names:
        message = f"there is a case {name!r} on line {names[name]} already"
        notes.add(message, node, "give each case a name of its own", Correction(How.DISTINGUISH))
    else:
        names[name] = line


def _name(node: Node) -> str:
    name = text(node, "name", MOST_NAME)
    if not name.strip() or not name.isprintable():
        raise Bad("name must be a printable text", node)
    return name


def read_op(node: Node, notes: Notes) -> str:
    """The op; a warning if torch is not known to have it."""
    name = text(node, "op", MOST_NAME)
    if kind_of(name) is OpKind.REFUSED:
        if meant := nearest_op(name):
            raise Bad(refusal(name), node, f"did you mean {meant}?", Correction(How.REPLACE, meant))
        raise Bad(refusal(name), node)
    if not is_known(name):
        meant = meant_by(name)
        correction = Correction(How.REPLACE, meant) if meant else None
        hint = f"did you mean {meant}?" if meant else ""
        notes.add(f"torch has no op {name} that is known here", node, hint, correction, warning=True)
    return name


def _marks(found: Mapping[str, Field]) -> tuple[str, ...]:
    if "mark" in found and "marks" in found:
        raise Bad("there are both mark and marks", found["marks"].key, "keep one of them")
    field = found.get("marks") or found.get("mark")
    if field is None:
        return ()
    node = field.value
    nodes = items(node, "marks", 100) if node.id == "sequence" else [node]
    return tuple(dict.fromkeys(mark for one in nodes for mark in _split_marks(one)))


def _split_marks(node: Node) -> list[str]:
    names = re.split(r"[,\s]+", text(node, "mark", 1000).strip(", "))
    for name in names:
        if not _MARK.fullmatch(name):
            raise Bad(f"{shown(name)} is not a name of a marker", node)
    return names


def _expression(node: Node) -> str:
    expression = text(node, "condition", MOST_CHARACTERS)
    only(conditions.check, node, expression, "condition")
    return expression


def _conditions(node: Node) -> tuple[Condition, ...]:
    check_tag(node)
    if node.id == "sequence":
        return tuple(one for item in items(node, "skip_if", 100) for one in _conditions(item))
    if node.id == "scalar":
        return (Condition(_expression(node)),)
    notes = Notes()
    found = fields(node, ("expr", "reason"), notes, "skip_if")
    if notes.found:
        first = notes.found[0]
        raise Bad(first.message, Spot(Place(first.line - 1, first.column - 1)), first.hint, first.correction)
    if "expr" not in found:
        raise Bad("skip_if needs an expr", node)
    reason = text(found["reason"].value, "reason", MOST_CHARACTERS) if "reason" in found else ""
    return (Condition(_expression(found["expr"].value), reason),)


def _errors(found: Mapping[str, Field], notes: Notes) -> tuple[Raises, Raises] | None:
    field = found.get("expects_error")
    if other := found.get("expected_errors"):
        if field is not None:
            raise Bad("there are both expects_error and expected_errors", other.key, "keep expects_error")
        notes.add("expected_errors is read as expects_error", other.key, "write expects_error", warning=True)
        field = other
    if field is None:
        return None
    node = field.value
    written = {str(key.value) for key, _ in node.value} if node.id == "mapping" else set()
    if not written & {"ref", "test", "spyre"}:
        both = _raises(node, notes)
        return both, both
    sides = fields(node, ("ref", "test", "spyre"), notes, "expects_error")
    if "test" in sides and "spyre" in sides:
        raise Bad("there are both test and spyre, which mean the same", sides["spyre"].key, "keep test")
    read = {("ref" if name == "ref" else "test"): _raises(one.value, notes) for name, one in sides.items()}
    if not read:
        raise Bad("expects_error says nothing", node)
    first = next(iter(read.values()))
    return read.get("ref", first), read.get("test", first)


def _raises(node: Node, notes: Notes) -> Raises:
    found = fields(node, ("type", "match", "match_re"), notes, "expects_error")
    kind = text(found["type"].value, "type", 100) if "type" in found else "RuntimeError"
    if kind not in ERRORS:
        raise Bad(f"unknown error {shown(kind)}", found["type"].value, *near(kind, ERRORS, How.REPLACE))
    if "match" in found and "match_re" in found:
        raise Bad("there are both match and match_re", found["match_re"].key, "keep one of them")
    match = text(found["match"].value, "match", MOST_CHARACTERS) if "match" in found else ""
    pattern = text(found["match_re"].value, "match_re", 256) if "match_re" in found else ""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise Bad(f"match_re: {error}", found["match_re"].value) from None
    return Raises(kind, match, pattern)
