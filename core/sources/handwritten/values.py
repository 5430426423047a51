# SPDX-License-Identifier: Apache-2.0
"""Values of Python code that is read and not run: a known value is itself, an unknown one has a reason."""

import ast
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Value: TypeAlias = Any
"""None, numbers, texts, tuples, lists, dicts and sets are themselves; anything else is one of the classes below."""

MOST_TEXT = 10_000
"""The longest text that may be built: no id is that long, and repeated doubling would fill the memory."""
MOST_ITEMS = 20_000
"""The most items that a collection may have."""


class Unknown(Exception):
    """Why a value cannot be known without running the code."""


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """An unknown value."""

    reason: str
    nameless: bool = False
    """Whether it is at least known to have no `__name__`, so that pytest numbers it."""
    called: str = ""
    """Full name of the function from outside of the checkout that made it, if any."""


@dataclass(frozen=True, slots=True)
class External:
    """Something imported from outside of the checkout, by its full name: `torch.float32`."""

    name: str
    is_module: bool = field(default=False, compare=False)
    """Whether it was imported as a module."""

    @property
    def last(self) -> str:
        """The part behind the last dot."""
        return self.name.rpartition(".")[2]


@dataclass(slots=True, eq=False)
class Scope:
    """Names with their values, of a module or of a call; `outer` is the enclosing scope."""

    module: "ModuleScope"
    names: MutableMapping[str, Value] = field(default_factory=dict)
    outer: "Scope | None" = None
    yields: list[Value] | None = None
    """The values that a generator has yielded; None: outside of functions."""


@dataclass(slots=True, eq=False)
class ModuleScope:
    """A module of the checkout."""

    path: str
    """Relative to the checkout."""
    base: str
    """The directory that pytest puts on the import path for this file, relative to the checkout."""
    names: dict[str, Value] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Function:
    """A function or lambda of the checkout."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    defaults: Mapping[str, Value] = field(default_factory=dict)
    marks: list["Mark"] = field(default_factory=list)
    """The mark closest to the function is first, as in `pytestmark`."""
    fixture: "Fixture | None" = None
    kind: str = ""
    """`classmethod`, `staticmethod` or `property`; empty: plain."""
    doubt: str = ""
    """Why its appearance to pytest is unknown: a decorator of the checkout that cannot be evaluated."""
    wrapper: str = ""
    """A decorator from elsewhere: it keeps the name, the marks and the parameters, but changes the result of calls."""

    @property
    def name(self) -> str:
        """Its `__name__`."""
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(slots=True, eq=False)
class Class:
    """A class of the checkout."""

    node: ast.ClassDef
    scope: Scope
    bases: tuple[Value, ...]
    names: dict[str, Value]
    marks: list["Mark"] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its `__name__`."""
        return self.node.name

    def line(self) -> list[Value]:
        """The class and its bases, without repetitions; bases outside of the checkout are included as they are."""
        found: list[Value] = [self]
        for base in self.bases:
            found += [one for one in (base.line() if isinstance(base, Class) else [base]) if one not in found]
        return found

    def externals(self) -> set[str]:
        """Full names of the bases outside of the checkout. Raises Unknown if a base is unknown."""
        names: set[str] = set()
        for one in self.line():
            if isinstance(one, External):
                names.add(one.name)
            elif not isinstance(one, Class):
                raise Unknown(f"{self.name} has a base that is not known")
        return names

    @property
    def is_enum(self) -> bool:
        """Whether it is an enum, so that the names it binds are members."""
        return any(isinstance(one, External) and one.last.endswith(("Enum", "Flag")) for one in self.line())


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an enum of the checkout."""

    of: Class
    name: str
    value: Value = field(compare=False)


@dataclass(slots=True, eq=False)
class Instance:
    """An instance of a class of the checkout."""

    of: Class
    fields: dict[str, Value]


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A function accessed through a class or an instance."""

    function: Function
    receiver: Value


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A method of a text or a collection."""

    of: Value
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """`pytest.mark.NAME`, with its arguments."""

    name: str
    args: tuple[Value, ...] = ()
    kwargs: Mapping[str, Value] = field(default_factory=dict)
    called: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Param:
    """`pytest.param(...)`."""

    values: tuple[Value, ...]
    marks: tuple[Value, ...] = ()
    id: Value = None


@dataclass(frozen=True, slots=True, eq=False)
class Fixture:
    """`@pytest.fixture(...)` on a function."""

    name: str
    """Empty: the name of the attribute it is bound to."""
    params: Value = None
    ids: Value = None
    scope: Value = "function"
    autouse: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class FixtureMaker:
    """`pytest.fixture(...)` before it is applied to its function."""

    fixture: Fixture


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """`functools.partial(...)` of something of the checkout."""

    of: Value
    args: tuple[Value, ...]
    kwargs: Mapping[str, Value]
