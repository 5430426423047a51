# SPDX-License-Identifier: Apache-2.0
"""Values of Python code that is read and not run: what is known is itself, the rest says why it is not known."""

import ast
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Value: TypeAlias = Any
"""None, numbers, texts, tuples, lists, dicts and sets are themselves; anything else is one of the classes below."""

MOST_TEXT = 10_000
"""Characters a text may grow to: no id is that long, and doubling would fill the memory."""
MOST_ITEMS = 20_000
"""Members a collection may have."""


class Unknown(Exception):
    """Why a value cannot be known without running the code."""


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """A value that is not known."""

    reason: str
    nameless: bool = False
    """Whether it is known at least that it has no `__name__`, so that pytest numbers it."""
    called: str = ""
    """Full name of the function from outside of the checkout that made it, where one did."""


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
    """Names with their values; those of a module, or of a call within `outer`."""

    module: "ModuleScope"
    names: MutableMapping[str, Value] = field(default_factory=dict)
    outer: "Scope | None" = None
    yields: list[Value] | None = None
    """What a generator has given so far; None: outside of functions."""


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
    """Closest to the function first, as `pytestmark` has them."""
    fixture: "Fixture | None" = None
    kind: str = ""
    """`classmethod`, `staticmethod` or `property`; empty: plain."""
    doubt: str = ""
    """Why what pytest would see of it is not known: a decorator of the checkout that is not followed."""
    wrapper: str = ""
    """A decorator from elsewhere: it leaves the name, the marks and the parameters, but not what a call gives."""

    @property
    def name(self) -> str:
        """As `__name__`."""
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
        """As `__name__`."""
        return self.node.name

    def line(self) -> list[Value]:
        """The class, then what it inherits from, each once; what is no class of the checkout as it is."""
        found: list[Value] = [self]
        for base in self.bases:
            found += [one for one in (base.line() if isinstance(base, Class) else [base]) if one not in found]
        return found

    def externals(self) -> set[str]:
        """Full names of the bases outside of the checkout. Raises Unknown where a base is not known."""
        names: set[str] = set()
        for one in self.line():
            if isinstance(one, External):
                names.add(one.name)
            elif not isinstance(one, Class):
                raise Unknown(f"{self.name} has a base that is not known")
        return names

    @property
    def is_enum(self) -> bool:
        """Whether what it binds are members."""
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
    """A function taken from a class or an instance."""

    function: Function
    receiver: Value


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A method of a text or a collection."""

    of: Value
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """`pytest.mark.NAME`, with what it was called with."""

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
    """Empty: that of the attribute it is bound to."""
    params: Value = None
    ids: Value = None
    scope: Value = "function"
    autouse: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class FixtureMaker:
    """`pytest.fixture(...)` before it is given its function."""

    fixture: Fixture


@dataclass(frozen=True, slots=True, eq=False)
class Partial:
    """`functools.partial(...)` of something of the checkout."""

    of: Value
    args: tuple[Value, ...]
    kwargs: Mapping[str, Value]
