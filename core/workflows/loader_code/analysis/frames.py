# SPDX-License-Identifier: Apache-2.0
"""A function as it is called: what its parameters mean, and which names carry the dtype override."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

import libcst as cst

from core.workflows.loader_code.analysis.code import Code, Statement, dotted, nodes, parameters

OVERRIDE = "dtype_override"
Path: TypeAlias = tuple[str | int | None, ...]
"""Keys and indexes from a value to a part of it; None: any element."""


class AttributeKey(str):
    """A key that the code writes as an attribute; objects of libraries often allow both."""

    __slots__ = ()


class Followed(Enum):
    """The kind of the followed value, as far as tests in the code distinguish it."""

    FLOATS = auto()
    OTHER_TENSOR = auto()
    NO_TENSOR = auto()


@dataclass(frozen=True, eq=False)
class Frame:
    """One function of the file with the call that enters it; the runner calls the outermost one."""

    function: cst.FunctionDef
    cls: str
    arguments: Mapping[str, cst.BaseExpression] = field(default_factory=dict)
    """Arguments that the call passes, by parameter."""
    caller: "Frame | None" = None
    call: Statement | None = None
    """The statement of the caller that contains the call."""
    aware: frozenset[str] = frozenset()
    """Names that hold the override or are derived from it."""
    variant: str = ""
    """Member of the variant enum for which the loader object is made; empty: not known."""
    followed: Followed = Followed.FLOATS

    @property
    def depth(self) -> int:
        return 0 if self.caller is None else self.caller.depth + 1


def outermost(function: cst.FunctionDef, cls: str, variant: str = "", followed: Followed = Followed.FLOATS) -> Frame:
    """The frame of a function that the runner calls with `dtype_override`, where it has that parameter."""
    given = {OVERRIDE} & {one.name.value for one in parameters(function)}
    return Frame(function, cls, aware=_with_aliases(function, given), variant=variant, followed=followed)


def entered(function: cst.FunctionDef, call: cst.Call, caller: Frame, at: Statement) -> Frame:
    """The frame of `function`, called by `call` in `caller`."""
    names = [one.name.value for one in parameters(function)]
    if names[:1] in (["self"], ["cls"]) and isinstance(call.func, cst.Attribute):
        names = names[1:]
    arguments: dict[str, cst.BaseExpression] = {}
    plain = [arg.value for arg in call.args if arg.keyword is None and not arg.star]
    arguments.update(zip(names, plain, strict=False))
    arguments.update({arg.keyword.value: arg.value for arg in call.args if arg.keyword is not None})
    given = {name for name, value in arguments.items() if name in names and mentions(value, caller.aware)}
    aware = _with_aliases(function, given)
    return Frame(function, caller.cls, arguments, caller, at, aware, caller.variant, caller.followed)


def mentions(node: cst.CSTNode, names: frozenset[str] | set[str]) -> bool:
    """Whether one of `names` is read anywhere in `node`."""
    if isinstance(node, cst.Name):
        return node.value in names
    if isinstance(node, cst.Attribute):
        return mentions(node.value, names)
    if isinstance(node, cst.Arg):
        return mentions(node.value, names)
    return any(mentions(child, names) for child in node.children)


def spoken_name(frame: Frame, code: Code, at: cst.CSTNode) -> str:
    """The name to give as dtype at `at`: that of the constructors around it, else the override itself."""
    used = [name for name in _dtype_names(frame.function) if name in frame.aware]
    before = {one.target for one in _aliases(frame.function, set(frame.aware)) if code.end(one.node) < code.start(at)}
    own = {one.name.value for one in parameters(frame.function)} & frame.aware
    for name in used:
        if name in before or (name in own and name != OVERRIDE):
            return name
    return OVERRIDE if OVERRIDE in own else min(own | before, default="")


@dataclass(frozen=True, slots=True)
class _Alias:
    target: str
    node: cst.CSTNode


def _with_aliases(function: cst.FunctionDef, given: set[str]) -> frozenset[str]:
    """`given`, and local variables that are made only of these: `dtype = dtype_override or torch.bfloat16`."""
    aware = set(given)
    while more := {one.target for one in _aliases(function, aware)} - aware:
        aware |= more
    return frozenset(aware)


def _aliases(function: cst.FunctionDef, aware: set[str]) -> Iterator[_Alias]:
    for node in nodes(function):
        if isinstance(node, cst.Assign) and _choice_of(node.value, aware):
            yield from (_Alias(dotted(one.target), node) for one in node.targets if dotted(one.target))


def _choice_of(value: cst.BaseExpression, aware: set[str]) -> bool:
    """Whether `value` is a name in `aware`, or chooses between such a name and something else."""
    if isinstance(value, cst.IfExp):
        return _choice_of(value.body, aware) or _choice_of(value.orelse, aware)
    if isinstance(value, cst.BooleanOperation):
        return _choice_of(value.left, aware) or _choice_of(value.right, aware)
    return isinstance(value, cst.Name) and value.value in aware


def _dtype_names(function: cst.FunctionDef) -> Iterator[str]:
    for node in nodes(function):
        match node:
            case cst.Arg(keyword=cst.Name(value="dtype"), value=cst.Name(value=name)):
                yield name
