# SPDX-License-Identifier: Apache-2.0
"""Evaluate expressions of a loader to texts without running it: constants, and the configuration of its variant."""

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

from core.python import statements_below
from core.sources.configurations import Configuration

CONFIGURED = "self._variant_config"
_DEEPEST = 20
MOST_NODES = 2**16
"""How many parts of syntax trees are cached if they are the same for all variants: enough for the largest loader."""
_TEXT_METHODS: Mapping[str, Callable[..., str]] = {"lower": str.lower, "upper": str.upper, "replace": str.replace}
SOMETHING = "\0"
"""The text of a parameter with an unknown value that is not None."""
_FALSE = ("False", "None", "", "0")


class Elsewhere(Protocol):
    """Finds the meaning of a module's name in the other files of the tree."""

    def __call__(self, name: str) -> tuple["Texts", ast.expr] | None:
        """The value assigned to it there, and the context of that value; None: unknown."""
        ...


def _nowhere(name: str) -> tuple["Texts", ast.expr] | None:
    return None


@dataclass(frozen=True, slots=True)
class Texts:
    """Evaluates the expressions of a function to texts: constants, arguments, and the configuration of the variant."""

    configuration: Configuration
    imports: Mapping[str, str]
    """The full name behind each name that is imported from outside of the tree."""
    assigned: Mapping[str, ast.expr]
    """The values assigned to names and attributes."""
    bound: Mapping[str, str | None]
    """Parameters and other names whose values are texts, or SOMETHING; None: only known when the loader runs."""
    elsewhere: Elsewhere = _nowhere

    def text(self, node: ast.expr | None, depth: int = 0) -> str | None:
        """The text of an expression; None: only known when the loader runs."""
        if node is None or depth > _DEEPEST:
            return None
        match node:
            case ast.Constant(value=value):
                return str(value)
            case ast.JoinedStr(values=parts):
                texts = [self.text(one, depth + 1) for one in parts]
                return None if None in texts else "".join(one or "" for one in texts)
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self.text(value, depth + 1)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                first, second = self.text(left, depth + 1), self.text(right, depth + 1)
                return None if first is None or second is None else first + second
            case ast.Call(func=ast.Name(id="str"), args=[of], keywords=[]):
                return self.text(of, depth + 1)
            case ast.Call(func=ast.Attribute(value=of, attr=method), args=given, keywords=[]):
                return self._method(method, [self.text(one, depth + 1) for one in (of, *given)])
            case ast.Subscript(value=of, slice=key):
                return self._item(of, key, depth)
            case ast.Name() | ast.Attribute():
                return self._named(node, depth)
        return None

    def _method(self, name: str, given: Sequence[str | None]) -> str | None:
        if name not in _TEXT_METHODS or None in given:
            return None
        try:
            return _TEXT_METHODS[name](*given)
        except TypeError:
            return None

    def _item(self, of: ast.expr, key: ast.expr, depth: int) -> str | None:
        """An item of a literal mapping."""
        scope, mapping = self._value(of) or (self, of)
        wanted = self.text(key, depth + 1)
        if not isinstance(mapping, ast.Dict) or wanted is None:
            return None
        items = zip(mapping.keys, mapping.values, strict=True)
        return next(
            (scope.text(value, depth + 1) for one, value in items if scope.text(one, depth + 1) == wanted), None
        )

    def _value(self, node: ast.expr) -> tuple["Texts", ast.expr] | None:
        """The expression assigned to a name, and the context of that expression."""
        name = dotted(node)
        if name in self.bound:
            return None
        return (self, self.assigned[name]) if name in self.assigned else self.elsewhere(name)

    def _named(self, node: ast.Name | ast.Attribute, depth: int) -> str | None:
        text = self.full(node, depth)
        if text in self.bound:
            return None if self.bound[text] == SOMETHING else self.bound[text]
        if text.startswith(f"{CONFIGURED}."):
            return self.text(self.configuration.get(text.removeprefix(f"{CONFIGURED}.")), depth + 1)
        if (value := self.assigned.get(text)) is not None:
            return self.text(value, depth + 1)
        if found := self.elsewhere(text):
            return found[0].text(found[1], depth + 1)
        # A member of an enumeration, such as `ModelSource.TIMM`, is its own text.
        return text if text.rpartition(".")[2].isupper() and "." in text else None

    def full(self, node: ast.expr, depth: int = 0) -> str:
        """The full meaning of a name or an attribute: `torchvision.models.resnet50`; else its text."""
        if depth > _DEEPEST:
            return ""
        match node:
            case ast.Attribute(value=value, attr=name):
                return f"{self.full(value, depth + 1)}.{name}"
            case ast.Name(id=name) if name in self.bound:
                return name
            case ast.Name(id=name) if name in self.imports:
                return self.imports[name]
            case ast.Name(id=name) if isinstance(assigned := self.assigned.get(name), ast.Attribute | ast.Call):
                text = self.full(assigned, depth + 1)
                return text if text == CONFIGURED or text.startswith("torchvision.models") else name
            case ast.Call(func=ast.Name(id="getattr"), args=[of, name, *_]):
                return f"{self.full(of, depth + 1)}.{self.text(name, depth + 1) or ''}"
        return dotted(node)

    def decide(self, test: ast.expr) -> bool | None:
        """Whether a condition holds; None: only known when the loader runs."""
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                decided = self.decide(operand)
                return None if decided is None else not decided
            case ast.BoolOp(op=op, values=values):
                decisive = isinstance(op, ast.Or)
                found = [self.decide(one) for one in values]
                return decisive if decisive in found else None if None in found else not decisive
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compare(left, op, right)
            case ast.Call(func=ast.Name(id="isinstance"), args=[of, ast.Name(id="str")]) if self._is_something(of):
                return False
            case ast.Name() | ast.Constant():
                text = self.text(test)
                return None if text is None else text not in _FALSE
        return None

    def _is_something(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and self.bound.get(node.id) == SOMETHING

    def _compare(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool | None:
        first = self.text(left)
        match operator, right:
            case ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot(), _:
                second = self.text(right)
                if second == "None" and self._is_something(left):
                    return not isinstance(operator, ast.Eq | ast.Is)
                same = None if first is None or second is None else first == second
                return same if same is None or isinstance(operator, ast.Eq | ast.Is) else not same
            case ast.In(), ast.List(elts=some) | ast.Tuple(elts=some) | ast.Set(elts=some):
                items = [self.text(one) for one in some]
                return None if first is None or None in items else first in items
            case ast.In(), ast.Constant() | ast.Name() | ast.Attribute() if first is not None:
                whole = self.text(right)
                return None if whole is None else first in whole
        return None


Named = ast.Call | ast.Name | ast.Attribute


class Live(NamedTuple):
    """A call, a name or an attribute that may run."""

    node: Named
    one_of_several: bool
    """Whether it is in a branch whose condition is unknown, so that only one of several branches runs."""


def live_parts(body: Sequence[ast.stmt], texts: Texts, one_of_several: bool = False) -> Iterator[Live]:
    """The calls, names and attributes in statements, without those in branches that cannot be taken."""
    for node in body:
        if (parts := _unbranched(node)) is not None:
            yield from (Live(part, one_of_several) for part in parts)
            continue
        if isinstance(node, ast.If):
            decided = texts.decide(node.test)
            inner = one_of_several or (decided is None and _compares_values(node.test))
            yield from _parts(node.test, texts, one_of_several)
            yield from live_parts([] if decided is False else node.body, texts, inner)
            yield from live_parts([] if decided is True else node.orelse, texts, inner)
            taken = node.body if decided else node.orelse
            if decided is not None and taken and isinstance(taken[-1], ast.Return | ast.Raise):
                return
            continue
        yield from live_parts(statements_below(node), texts, one_of_several)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr | ast.withitem):
                yield from _parts(part, texts, one_of_several)


def _compares_values(test: ast.expr) -> bool:
    match test:
        case ast.Compare(ops=[ast.Eq() | ast.NotEq() | ast.In() | ast.NotIn()]):
            return True
        case ast.BoolOp(values=values):
            return any(map(_compares_values, values))
    return False


def _parts(node: ast.AST, texts: Texts, one_of_several: bool) -> Iterator[Live]:
    if (parts := _unbranched(node)) is not None:
        yield from (Live(part, one_of_several) for part in parts)
        return
    waiting = deque([node])
    while waiting:
        part = waiting.popleft()
        if isinstance(part, Named):
            yield Live(part, one_of_several)
        if isinstance(part, ast.IfExp):
            decided = texts.decide(part.test)
            waiting += [part.test, *([] if decided is False else [part.body]), *([] if decided else [part.orelse])]
        elif not isinstance(part, ast.Constant | ast.expr_context):
            waiting += ast.iter_child_nodes(part)


@lru_cache(maxsize=MOST_NODES)
def _unbranched(node: ast.AST) -> tuple[Named, ...] | None:
    """The result of `live_parts` if it is the same for all variants; None: it has branches that depend on them."""
    if isinstance(node, ast.If):
        return None
    found: list[Named] = []
    if isinstance(node, ast.stmt):
        own = (one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr | ast.withitem))
        for below in (*statements_below(node), *own):
            if (parts := _unbranched(below)) is None:
                return None
            found += parts
        return tuple(found)
    waiting = deque([node])
    while waiting:
        part = waiting.popleft()
        if isinstance(part, ast.IfExp):
            return None
        if isinstance(part, Named):
            found.append(part)
        if not isinstance(part, ast.Constant | ast.expr_context):
            waiting += ast.iter_child_nodes(part)
    return tuple(found)


@lru_cache(maxsize=MOST_NODES)
def dotted(node: ast.expr) -> str:
    """A name, or a chain of attributes, as text; other expressions as `ast.unparse` writes them."""
    parts: list[str] = []
    at = node
    while isinstance(at, ast.Attribute):
        parts.append(at.attr)
        at = at.value
    # Names are nearly all of the calls, and `ast.unparse` takes twenty times as long.
    return ".".join([at.id, *reversed(parts)]) if isinstance(at, ast.Name) else ast.unparse(node)


def assignments(statements: Iterable[ast.stmt]) -> dict[str, ast.expr]:
    """Values that are assigned exactly once, by the text of their target; others are unknown."""
    found: dict[str, list[ast.expr]] = {}
    for node in statements:
        match node:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                found.setdefault(dotted(target), []).append(value)
            case ast.AnnAssign(target=ast.Name() | ast.Attribute() as target, value=ast.expr() as value):
                found.setdefault(dotted(target), []).append(value)
    return {name: values[0] for name, values in found.items() if _same(values)}


def _same(values: Sequence[ast.expr]) -> bool:
    return len(values) == 1 or len({ast.unparse(one) for one in values}) == 1
