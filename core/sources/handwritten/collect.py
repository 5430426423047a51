# SPDX-License-Identifier: Apache-2.0
"""The tests of one module as pytest would collect them, from its syntax tree (docs/rules.md 1.8)."""

import ast
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence

from core.python import (
    Class,
    External,
    Function,
    Imported,
    Mark,
    ModuleScope,
    Opaque,
    Program,
    Raises,
    Unknown,
    Value,
)
from core.sources.handwritten.fixtures import Fixtures, Holder, argument_names, used_fixtures
from core.sources.handwritten.ids import Parametrization, argument_names as parameter_names, parametrization
from core.sources.handwritten.records import HandwrittenTest, Level, MarkRecord

_MOST_TESTS = 50_000
"""The most tests that one function may give."""
_RUNNERS = re.compile(r"run_(?:\w*_)?(?P<level>op|graph)_(?:comparison_)?test\w*")
"""Upstream's helpers (`tests/infra/testers`): run_op_test, run_graph_test_with_random_inputs and their like."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SHOWN = 160
_LONGEST_ARGUMENT = 1000


def collect(program: Program, path: str, conftests: Sequence[str]) -> list[HandwrittenTest]:
    """The tests of the module at `path`; `conftests` are those above it, outermost first. Raises Unknown."""
    module = program.module(path)
    program.check_imports(path)
    with program.budget():
        return list(_Module(program, module, conftests).tests())


class _Module:
    """Collects one module."""

    def __init__(self, program: Program, module: ModuleScope, conftests: Sequence[str]) -> None:
        self._program = program
        self._module = module
        self._calls = _Callers(*program.trees[module.path])
        self._holders: list[Holder] = []
        for conftest in conftests:
            try:
                self._holders.append(program.module(conftest))
            except Unknown:
                continue
        self._holders.append(module)
        self._wanted = self._calls.parameters
        self._marks = _written_marks(module.names.get("pytestmark"))

    def tests(self) -> Iterator[HandwrittenTest]:
        fixtures = self._fixtures(())
        for name, value in (*self._starred(), *self._module.names.items()):
            found = self._value(name, value)
            if name.startswith("test"):
                yield from self._function(name, found, (), (), fixtures)
            elif isinstance(found, Class) and _is_test_class(name, found):
                yield from self._class(found, (name,), ())

    def _starred(self) -> Iterator[tuple[str, Value]]:
        """The names that a star import brings from the checkout and that the module itself does not bind."""
        for star in self._module.names.get("*", ()):
            try:
                found = self._program.imported(self._module, star._replace(name=""))
            except Unknown:
                continue
            if isinstance(found, ModuleScope):
                own = self._module.names
                yield from ((name, value) for name, value in found.names.items() if name not in own and name[0] != "_")

    def _fixtures(self, classes: Sequence[Class]) -> Fixtures:
        return Fixtures((*self._holders, *classes), self._program.expressions, self._wanted)

    def _value(self, name: str, value: Value) -> Value:
        """Imported names are looked up if pytest would collect them."""
        if isinstance(value, Imported) and name.startswith(("test", "Test")):
            try:
                return self._program.expressions.global_name(self._module, name)
            except Unknown as error:
                return Opaque(str(error))
        return value

    def _class(self, of: Class, names: tuple[str, ...], outer: tuple[Class, ...]) -> Iterator[HandwrittenTest]:
        inside = (*outer, of)
        fixtures = self._fixtures(inside)
        marks = [mark for one in inside[::-1] for mark in _class_marks(one)]
        members: dict[str, Value] = {}
        for one in reversed(of.line()):
            if isinstance(one, Class):
                members |= one.names
        for name, value in members.items():
            if name.startswith("test"):
                yield from self._function(name, value, names, marks, fixtures)
            elif isinstance(value, Class) and _is_test_class(name, value):
                yield from self._class(value, (*names, name), inside)

    def _function(
        self, name: str, value: Value, classes: tuple[str, ...], outer: Sequence[Mark], fixtures: Fixtures
    ) -> Iterator[HandwrittenTest]:
        if isinstance(value, Function) and value.fixture is None:
            marks = [*value.marks, *outer, *self._marks]
            level = self._calls.level(value)
            line = value.node.lineno
            base = HandwrittenTest(self._module.path, classes, name, "", line, level)
            try:
                if self._module.raised:  # the finding is about the module
                    raise Unknown(self._module.raised.text)
                if value.doubt:
                    raise Unknown(value.doubt)
                yield from self._made(base, value, marks, fixtures)
            except Raises as error:
                yield base._replace(marks=self._records(marks), unknown=_reason(error), raised=error.raised.text)
            except (Unknown, RecursionError) as error:
                yield base._replace(marks=self._records(marks), unknown=_reason(error))
        elif isinstance(value, Opaque) and (line := self._calls.line(name)):
            yield HandwrittenTest(self._module.path, classes, name, "", line, "", (), _reason(value.reason))

    def _made(
        self, base: HandwrittenTest, function: Function, marks: Sequence[Mark], fixtures: Fixtures
    ) -> Iterator[HandwrittenTest]:
        """One row for each combination of parameters (`Metafunc.parametrize`)."""
        own = [mark for mark in marks if mark.name == "parametrize"]
        direct = [_arguments(mark) for mark in own]
        names = frozenset(name for values in direct for name in parameter_names(values[0])[0])
        asked = (*used_fixtures((mark.name, mark.args, mark.kwargs) for mark in marks), *argument_names(function))
        parts = fixtures.parametrizations(asked, names)
        parts += [parametrization(*values, self._program.expressions) for values in direct]
        if math.prod(len(part.sets) for part in parts) > _MOST_TESTS:
            raise Unknown("it has too many combinations of parameters")
        if not function.wrapper and (unused := fixtures.unused(asked, names)):
            raise Raises("Failed", f"{function.name} takes no argument {unused[0]}")
        records = self._records(marks)
        base = base._replace(lacking=fixtures.lacking(asked, names))
        if not parts:
            yield base._replace(marks=records)
            return
        for sets in itertools.product(*(part.sets for part in parts)):
            more = [mark for one in sets for mark in _unpacked(one.marks)]
            id = "-".join(one.id for one in sets)
            yield base._replace(id=id, marks=(*self._records(more), *records), parameters=_values(parts, sets))

    def _records(self, marks: Sequence[Mark]) -> tuple[MarkRecord, ...]:
        return tuple(MarkRecord(mark.name, self._details(mark)) for mark in marks)

    def _details(self, mark: Mark) -> Mapping[str, str]:
        """The arguments of a mark, as texts; `?` for unknown ones."""
        if mark.name == "parametrize":
            return {}
        given = {**{str(at): value for at, value in enumerate(mark.args)}, **mark.kwargs}
        return {name: self._text(value) for name, value in given.items()}

    def _text(self, value: Value) -> str:
        try:
            text = self._program.expressions.text(value)
        except Unknown:
            return "?"
        # At a space: half the address of an issue is that of another one.
        return text if len(text) <= _LONGEST_ARGUMENT else text[:_LONGEST_ARGUMENT].rpartition(" ")[0]


class _Callers:
    """The helpers of upstream that functions of a module call, directly or through other functions."""

    def __init__(self, tree: ast.Module, source: str) -> None:
        self._source = source.split("\n")
        self._names: dict[str, frozenset[str]] = {}
        self._functions = {node.name: node for node in tree.body if isinstance(node, _DEFINITIONS)}
        methods = (one for node in tree.body if isinstance(node, ast.ClassDef) for one in node.body)
        specs = [node.args for node in (*tree.body, *methods) if isinstance(node, _DEFINITIONS)]
        self.parameters = {one.arg for spec in specs for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)}

    def line(self, name: str) -> int:
        """The line of a function, at any level; 0: there is none."""
        found = (at for at, text in enumerate(self._source, 1) if re.match(rf"\s*(async )?def {name}\b", text))
        return next(found, 0)

    def level(self, function: Function) -> Level:
        """`op` or `graph`, by the helper that is called; empty: none."""
        names = self._names_in(function.node)
        seen: set[str] = set()
        while names:
            seen |= names
            names = {inner for name in names if name in self._functions for inner in self._of(name)} - seen
        levels = {match["level"] for name in seen if (match := _RUNNERS.fullmatch(name))}
        if "op" in levels:
            return "op"
        return "graph" if "graph" in levels else ""

    def _of(self, name: str) -> frozenset[str]:
        if name not in self._names:
            self._names[name] = frozenset(self._names_in(self._functions[name]))
        return self._names[name]

    def _names_in(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
        """All words in the lines of a function: a tenth of the cost of walking its tree."""
        return set(_WORD.findall("\n".join(self._source[node.lineno - 1 : node.end_lineno])))


def _is_test_class(name: str, value: Class) -> bool:
    outside = {one.name for one in value.line() if isinstance(one, External)}
    if "unittest.TestCase" in outside or "unittest.case.TestCase" in outside:
        return True
    if not name.startswith("Test") or value.names.get("__test__") is False:
        return False
    return not any(isinstance(one, Class) and {"__init__", "__new__"} & one.names.keys() for one in value.line())


def _class_marks(of: Class) -> list[Mark]:
    """As `get_unpacked_marks`: those of the bases first."""
    found: list[Mark] = []
    for one in reversed(of.line()):
        if isinstance(one, Class):
            found += [*_written_marks(one.names.get("pytestmark")), *one.marks]
    return found


def _written_marks(value: Value) -> list[Mark]:
    marks = value if isinstance(value, list | tuple) else [value]
    return [mark for mark in marks if isinstance(mark, Mark)]


def _unpacked(marks: Sequence[Value]) -> Iterator[Mark]:
    for mark in marks:
        if isinstance(mark, Mark):
            yield mark
        elif isinstance(mark, Opaque):
            raise Unknown(f"a mark is not known: {mark.reason}")


def _arguments(mark: Mark) -> tuple[Value, Value, Value]:
    """Names, values and ids of a `parametrize` mark. Raises Unknown."""
    given = dict(zip(("argnames", "argvalues", "indirect", "ids", "scope"), mark.args, strict=False)) | dict(
        mark.kwargs
    )
    if "argnames" not in given or "argvalues" not in given:
        raise Raises("TypeError", "parametrize misses its names or values")
    return given["argnames"], given["argvalues"], given.get("ids")


def _values(parts: Sequence[Parametrization], sets: Sequence[object]) -> Mapping[str, str]:
    """The id of each set, by the names that it sets."""
    return {",".join(part.names): one.id for part, one in zip(parts, sets, strict=True)}  # type: ignore[attr-defined]


def _reason(error: object) -> str:
    return "nests too deeply" if isinstance(error, RecursionError) else str(error)[:_SHOWN]
