# SPDX-License-Identifier: Apache-2.0
"""Which assignments a variable, or a part of it, may have its value from at a statement."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import libcst as cst

from core.workflows.loader_code.analysis.code import Code, Statement, constant, dotted, key_of, parameters, suite
from core.workflows.loader_code.analysis.control_flow import Conditions, Keys, Walk
from core.workflows.loader_code.analysis.frames import Frame, Path, mentions


@dataclass(frozen=True, slots=True)
class Query:
    """A variable, the path to the wanted part, and the loop variables that hold its key."""

    name: str
    path: Path = ()
    keys: Keys = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    """Loop variables that hold the part itself, or its key."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One assignment; `path` leads from `value` to the wanted part."""

    value: cst.BaseExpression | None
    """None: a parameter, or a binding whose value is unknown."""
    path: Path
    at: Statement
    keys: Keys
    chosen: bool = False
    """Whether a statement that sees the override assigns only in some cases."""


Found: TypeAlias = tuple[list[Hit], bool]
"""Assignments, and whether one of them is made in every case."""


class Reaching:
    """The assignments within one frame."""

    def __init__(self, code: Code, frame: Frame) -> None:
        self.code = code
        self.frame = frame

    def before(self, at: Statement, query: Query) -> list[Hit]:
        """Assignments that are in force when `at` begins, the latest first."""
        block = self.code.parent(at)
        while not isinstance(block, cst.IndentedBlock):
            if block is None or isinstance(block, cst.Module):
                return []
            # An `elif` is nested in the `if` before it.
            at, block = (block if isinstance(block, cst.If) else at), self.code.parent(block)
        earlier = block.body[: _position(block, at)]
        hits, definite = self._block(earlier, query)
        owner = self.code.parent(block)
        return hits if definite or owner is None else hits + self._outside(owner, query)

    def is_certain(self, at: Statement, name: str) -> bool:
        """Whether `name` has been assigned something other than None on every path to `at`."""
        inner: cst.CSTNode = at
        for node in self.code.above(at):
            if isinstance(node, cst.IndentedBlock):
                place = next(number for number, one in enumerate(node.body) if one is inner)
                hits, definite = self._block(node.body[:place], Query(name))
                if any(hit.value is None or dotted(hit.value) == "None" for hit in hits):
                    return False
                if definite or isinstance(self.code.parent(node), cst.FunctionDef):
                    return definite
            inner = node
        return False

    def _outside(self, owner: cst.CSTNode, query: Query) -> list[Hit]:
        """Assignments before the statement whose block begins here, and those that its header makes."""
        if isinstance(owner, cst.FunctionDef):
            named = query.name in {one.name.value for one in parameters(self.frame.function)}
            return [Hit(None, query.path, owner, query.keys)] if named else []
        if isinstance(owner, cst.For) and (bound := self._walked(owner, query)):
            return bound
        if isinstance(owner, cst.With) and query.name in _with_names(owner):
            return [Hit(None, query.path, owner, query.keys)]
        hits: list[Hit] = []
        if isinstance(owner, cst.Else | cst.Finally) and isinstance(outer := self.code.parent(owner), cst.Try):
            hits, definite = self._block(suite(outer.body), query)
            if definite:
                return hits
        return hits + self.before(self.code.statement(owner), query)

    def _walked(self, loop: cst.For, query: Query) -> list[Hit]:
        source = Walk(loop.target, loop.iter).source(query.name, query.keys)
        return [Hit(source[0], source[1] + query.path, loop, query.keys)] if source is not None else []

    def _block(self, statements: Sequence[Statement], query: Query) -> Found:
        hits: list[Hit] = []
        for statement in reversed(statements):
            more, definite = self._within(statement, query)
            hits += more
            if definite:
                return hits, True
        return hits, False

    def _within(self, statement: Statement, query: Query) -> Found:
        match statement:
            case cst.SimpleStatementLine():
                for small in reversed(statement.body):
                    if (found := self._small(small, statement, query)) is not None:
                        return found
            case cst.If():
                return self._branches(statement, query)
            case cst.For():
                return self._loop(statement, query)
            case cst.While():
                return self._block(suite(statement.body), query)[0], False
            case cst.With():
                return self._block(suite(statement.body), query)
            case cst.Try():
                return self._try(statement, query)
            case cst.FunctionDef() | cst.ClassDef() if statement.name.value == query.name:
                return [Hit(None, query.path, statement, query.keys)], True
        return [], False

    def _branches(self, node: cst.If, query: Query) -> Found:
        holds = Conditions(self.frame, query.keys, query.names | {query.name}).holds(node.test)
        body = self._branch(suite(node.body), query)
        if (hit := self._choice(node, body, holds, query)) is not None:
            return [hit], True
        if holds is True:
            return body
        other: Found = [], False
        if isinstance(node.orelse, cst.If):
            other = self._branches(node.orelse, query)
        elif node.orelse is not None:
            other = self._branch(suite(node.orelse.body), query)
        return other if holds is False else (body[0] + other[0], body[1] and other[1])

    def _choice(self, node: cst.If, body: Found, holds: bool | None, query: Query) -> Hit | None:
        """A guard on the override that leaves the variable as it is in some unknown cases."""
        if not mentions(node.test, self.frame.aware) or not body[0] or holds is False or (holds and body[1]):
            return None
        return Hit(None, query.path, node, query.keys, chosen=True)

    def _branch(self, statements: Sequence[Statement], query: Query) -> Found:
        """Hits in a branch; one that leaves the function or the round of the loop reaches nothing after it."""
        return ([], True) if _leaves(statements) else self._block(statements, query)

    def _loop(self, node: cst.For, query: Query) -> Found:
        walk = Walk(node.target, node.iter)
        own = walk.keys_of(query.name, query.path[0]) if query.path else None
        if own is not None:
            query = replace(query, keys={**query.keys, **own}, names=query.names | walk.names)
        hits, definite = self._block(suite(node.body), query)
        return hits, definite and own is not None

    def _try(self, node: cst.Try, query: Query) -> Found:
        found = [self._block([*suite(node.body), *(suite(node.orelse.body) if node.orelse else ())], query)]
        found += [self._branch(suite(one.body), query) for one in node.handlers]
        return [hit for hits, _ in found for hit in hits], all(definite for _, definite in found)

    def _small(self, small: cst.BaseSmallStatement, at: Statement, query: Query) -> Found | None:
        """What a simple statement assigns to the queried variable; None: nothing."""
        match small:
            case cst.Assign(targets=targets, value=value):
                for target in targets:
                    if (found := self._target(target.target, value, (), at, query)) is not None:
                        return found
            case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
                return self._target(target, value, (), at, query)
            case cst.Expr(value=cst.Call() as call):
                return _changed(call, at, query)
        return None

    def _target(
        self, target: cst.BaseExpression, value: cst.BaseExpression, inside: Path, at: Statement, query: Query
    ) -> Found | None:
        if isinstance(target, cst.Tuple | cst.List):
            for number, element in enumerate(target.elements):
                if (found := self._target(element.value, value, (*inside, number), at, query)) is not None:
                    return found
            return None
        if dotted(target) == query.name:
            return [Hit(value, inside + query.path, at, query.keys)], True
        return self._part(target, value, inside, at, query) if query.path else None

    def _part(
        self, target: cst.BaseExpression, value: cst.BaseExpression, inside: Path, at: Statement, query: Query
    ) -> Found | None:
        """An assignment to one key, index or attribute of the variable."""
        hit = Hit(value, inside + query.path[1:], at, query.keys)
        if isinstance(target, cst.Attribute) and dotted(target.value) == query.name:
            return ([hit], True) if target.attr.value == query.path[0] else None
        if not isinstance(target, cst.Subscript) or dotted(target.value) != query.name:
            return None
        key = key_of(target)
        if key is None and len(target.slice) == 1 and isinstance(index := target.slice[0].slice, cst.Index):
            name = dotted(index.value)
            return ([hit], name in query.keys) if query.keys.get(name, query.path[0]) == query.path[0] else None
        return ([hit], True) if key is not None and key == query.path[0] else None


def is_bound(frame: Frame, name: str) -> bool:
    """Whether the function of `frame` gives `name` its value, by an assignment or as a parameter."""
    return name in {one.name.value for one in parameters(frame.function)} or writes(frame.function, name)


def writes(statement: Statement, name: str) -> bool:
    """Whether `statement`, or one within it, assigns to `name` or to a part of it."""
    return any(_assigns(node, name) for node in _simple(statement))


def _simple(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if isinstance(node, cst.BaseSmallStatement | cst.For | cst.With):
        yield node
    for child in node.children:
        yield from _simple(child)


def _assigns(node: cst.CSTNode, name: str) -> bool:
    match node:
        case cst.Assign(targets=targets):
            return any(_binds(one.target, name) for one in targets)
        case cst.AnnAssign(target=target) | cst.AugAssign(target=target) | cst.For(target=target):
            return _binds(target, name)
        case cst.With():
            return name in _with_names(node)
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=changed, attr=cst.Name(value=method)))):
            return dotted(changed) == name and method in ("update", "append", "extend", "insert")
    return False


def _binds(target: cst.BaseExpression, name: str) -> bool:
    if isinstance(target, cst.Tuple | cst.List):
        return any(_binds(one.value, name) for one in target.elements)
    if isinstance(target, cst.Subscript):
        return dotted(target.value) == name
    return dotted(target) == name or (isinstance(target, cst.Attribute) and dotted(target.value) == name)


def _changed(call: cst.Call, at: Statement, query: Query) -> Found | None:
    """`inputs.update(...)` and `inputs.append(...)`."""
    match call:
        case cst.Call(func=cst.Attribute(value=changed, attr=cst.Name(value=method)), args=args):
            if dotted(changed) != query.name or not query.path or not args:
                return None
            if method == "append":
                return [Hit(args[0].value, query.path[1:], at, query.keys)], False
            if method == "update":
                return _updated(args, at, query)
    return None


def _updated(args: Sequence[cst.Arg], at: Statement, query: Query) -> Found | None:
    for arg in args:
        if arg.keyword is not None and arg.keyword.value == query.path[0]:
            return [Hit(arg.value, query.path[1:], at, query.keys)], True
    given = args[0]
    if given.keyword is not None:
        return None
    if isinstance(given.value, cst.Dict):
        keys = [key_of_element(one) for one in given.value.elements]
        return ([Hit(given.value, query.path, at, query.keys)], True) if query.path[0] in keys else None
    return [Hit(given.value, query.path, at, query.keys)], False


def key_of_element(element: cst.BaseDictElement) -> str | int | None:
    """The literal key of an element of a dictionary; None: another expression, or a spread."""
    return constant(element.key) if isinstance(element, cst.DictElement) else None


def _with_names(node: cst.With) -> list[str]:
    return [dotted(one.asname.name) for one in node.items if one.asname is not None]


def _leaves(statements: Sequence[Statement]) -> bool:
    last = statements[-1] if statements else None
    if not isinstance(last, cst.SimpleStatementLine):
        return False
    return isinstance(last.body[-1], cst.Return | cst.Raise | cst.Continue | cst.Break)


def _position(block: cst.IndentedBlock, at: Statement) -> int:
    return next(number for number, one in enumerate(block.body) if one is at)
