# SPDX-License-Identifier: Apache-2.0
"""The fixtures that a test uses, and the parameters that they add (`_pytest/fixtures.py`)."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from core.python import Class, Expressions, Fixture, Function, Imported, ModuleScope, Unknown, Value
from core.sources.handwritten.ids import Parametrization, parametrization

_SCOPES = ("session", "package", "module", "class", "function")

_OPENING = frozenset({"*", "pytest_plugins", "pytest_generate_tests"})
"""Names of a module by which tests may get fixtures and values that are not visible here."""
_GIVEN = frozenset(
    {
        "anyio_backend",
        "benchmark",
        "cache",
        "capfd",
        "capfdbinary",
        "caplog",
        "capsys",
        "capsysbinary",
        "capteesys",
        "class_mocker",
        "doctest_namespace",
        "event_loop",
        "faker",
        "httpx_mock",
        "mocker",
        "module_mocker",
        "monkeypatch",
        "pytestconfig",
        "pytester",
        "record_property",
        "record_testsuite_property",
        "record_xml_attribute",
        "recwarn",
        "request",
        "requests_mock",
        "session_mocker",
        "snapshot",
        "subtests",
        "testdir",
        "testrun_uid",
        "tmp_path",
        "tmp_path_factory",
        "tmpdir",
        "tmpdir_factory",
        "worker_id",
    }
)
"""Fixtures of pytest and of plugins that people use."""

Holder = ModuleScope | Class
"""Objects that can hold fixtures: a conftest, a module or a class of tests."""


class Fixtures:
    """The fixtures visible to a test; those of its own class come last."""

    def __init__(self, holders: Sequence[Holder], expressions: Expressions, wanted: Container[str] = ()) -> None:
        """`wanted` are the names for which modules of the checkout are read if a holder imports them."""
        self._expressions = expressions
        self._wanted = wanted
        self.by_name: dict[str, list[Function]] = {}
        """The closest is last."""
        self._autouse: list[str] = []
        self._names: set[str] = set()
        """All names of the holders: an imported one may be a fixture."""
        self._open = False
        """Whether there may be fixtures that are not visible here."""
        for holder in holders:
            if isinstance(holder, ModuleScope):
                self._names |= holder.names.keys()
                self._open = self._open or not _OPENING.isdisjoint(holder.names) or bool(holder.raised)
            for name, function, fixture in self._held(holder):
                self.by_name.setdefault(fixture.name or name, []).append(function)
                if fixture.autouse:
                    self._autouse.append(fixture.name or name)

    def parametrizations(self, own: Iterable[str], direct: frozenset[str]) -> list[Parametrization]:
        """What fixtures add to a test that requests `own` and itself parametrizes `direct`. Raises Unknown."""
        names = list(dict.fromkeys((*self._autouse, *own)))
        order = sorted(self._closure(names, direct), key=self._scope)
        return [
            found
            for name in order
            if name not in direct and (found := self._parametrization(name, self.by_name.get(name, ()))) is not None
        ]

    def lacking(self, own: Iterable[str], direct: frozenset[str]) -> tuple[str, ...]:
        """What a test asks for, itself or through fixtures, and no holder, pytest or a known plugin has."""
        if self._open:
            return ()
        names = self._closure(list(dict.fromkeys((*self._autouse, *own))), direct)
        known = (direct, self.by_name, self._names, _GIVEN)
        return tuple(name for name in names if not any(name in some for some in known))

    def unused(self, own: Iterable[str], direct: frozenset[str]) -> tuple[str, ...]:
        """The names that a test parametrizes, and that neither it nor a fixture of it takes."""
        if self._open:
            return ()
        return tuple(sorted(direct - set(self._closure(list(dict.fromkeys((*self._autouse, *own))), frozenset()))))

    def _parametrization(self, name: str, functions: Sequence[Function]) -> Parametrization | None:
        for function in reversed(functions):
            fixture = function.fixture
            if fixture is not None and fixture.params is not None:
                return parametrization(name, fixture.params, fixture.ids, self._expressions)
            if name not in argument_names(function):
                break
        return None

    def _closure(self, names: Sequence[str], direct: frozenset[str]) -> list[str]:
        """Every requested fixture, depth first."""
        found: dict[str, None] = {}
        at: dict[str, int] = {}

        def ask(name: str) -> None:
            index = at.get(name)
            if index == -1:
                return
            found[name] = None
            index = -1 if index is None else index
            at.setdefault(name, -1)
            functions = self.by_name.get(name, ()) if name not in direct else ()
            if not functions or -index > len(functions):
                return
            at[name] = index - 1
            for one in argument_names(functions[index]):
                ask(one)
            at[name] = index

        for name in names:
            ask(name)
        return list(found)

    def _held(self, holder: Holder) -> Iterator[tuple[str, Function, Fixture]]:
        """The fixtures of a holder by attribute, sorted by name, which is pytest's order."""
        names: dict[str, Value] = {}
        for one in reversed(holder.line()) if isinstance(holder, Class) else (holder,):
            if isinstance(one, Class | ModuleScope):
                names |= one.names
        for name in sorted(names):
            value = names[name]
            if isinstance(value, Imported) and isinstance(holder, ModuleScope) and name in self._wanted:
                value = self._imported(name, holder)
            if isinstance(value, Function) and value.fixture is not None:
                yield name, value, value.fixture

    def _imported(self, name: str, module: ModuleScope) -> Value:
        try:
            return self._expressions.global_name(module, name)
        except Unknown:
            return None

    def _scope(self, name: str) -> int:
        functions = self.by_name.get(name)
        fixture = functions[-1].fixture if functions else None
        scope = fixture.scope if isinstance(fixture, Fixture) else "function"
        return _SCOPES.index(scope) if scope in _SCOPES else len(_SCOPES) - 1


def argument_names(function: Function) -> list[str]:
    """Names of the parameters that pytest fills: those without a default, except `self` and `cls`."""
    spec = function.node.args
    names = [one.arg for one in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs) if one.arg not in function.defaults]
    return [name for name in names if name not in ("self", "cls")]


def used_fixtures(marks: Iterable[tuple[str, Sequence[Value], Mapping[str, Value]]]) -> Iterator[str]:
    """Names in `usefixtures` marks."""
    for name, args, _ in marks:
        if name == "usefixtures":
            yield from (one for one in args if isinstance(one, str))
