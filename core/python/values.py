# SPDX-License-Identifier: Apache-2.0
"""Values of Python code that is read and not run.

A value is known, and then it is itself or one of the classes below; or unknown, with the reason (`Opaque`); or there is
none, because the code raises (`Raises`).
"""

import ast
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from core.python.resolver import Imported

Value: TypeAlias = Any
"""None, numbers, texts, tuples, lists, dicts and sets are themselves; anything else is one of the classes below."""

MOST_TEXT = 10_000
"""The longest text that may be built: no id is that long, and repeated doubling would fill the memory."""
MOST_BASES = 200
"""The most classes that one may inherit from, counted along each base: sorting them takes time with their square."""
MOST_ITEMS = 20_000
"""The most items that a collection may have."""


class Unknown(Exception):
    """Why a value cannot be known without running the code."""


class Raised(NamedTuple):
    """An exception that running the code raises, for certain."""

    exception: str
    """Its type, such as `AttributeError`."""
    message: str
    path: str = ""
    """The file, relative to the root of the tree."""
    line: int = 0

    @property
    def text(self) -> str:
        """The exception with its place, in a line."""
        where = f" at {self.path}:{self.line}" if self.path else ""
        return f"raises {self.exception}{where}{': ' if self.message else ''}{self.message}"


class Raises(Unknown):
    """The code raises: more is known than that the value is not."""

    def __init__(self, exception: str, message: str = "", path: str = "", line: int = 0) -> None:
        self.raised = Raised(exception, message, path, line)
        super().__init__(self.raised.text)

    def at(self, path: str, line: int) -> "Raises":
        """The same with its place, unless it has one."""
        return self if self.raised.path else Raises(*self.raised[:2], path, line)


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


@dataclass(slots=True, eq=False, repr=False)
class Scope:
    """Names with their values, of a module or of a call; `outer` is the enclosing scope."""

    module: "ModuleScope"
    names: MutableMapping[str, Value] = field(default_factory=dict)
    outer: "Scope | None" = None
    yields: list[Value] | None = None
    """The values that a generator has yielded; None: outside of functions."""
    owner: "Class | None" = None
    """The class whose body this is, or whose method."""
    receiver: Value = None
    """The first argument of the method."""
    is_comprehension: bool = False

    @property
    def is_class_body(self) -> bool:
        """Whether its names are not visible in the scopes inside."""
        return self.owner is not None and self.yields is None


@dataclass(slots=True, eq=False, repr=False)
class ModuleScope:
    """A module of the checkout."""

    path: str
    """Relative to the checkout."""
    base: str
    """The directory that pytest puts on the import path for this file, relative to the checkout."""
    names: dict[str, Value] = field(default_factory=dict)
    source: str = ""
    lazy_annotations: bool = False
    """Whether annotations are not evaluated (`from __future__ import annotations`)."""
    resolved: dict[Imported, Value] = field(default_factory=dict)
    """What its imports of other modules of the tree mean, once looked up."""
    raised: Raised | None = None
    """What importing it raises; its names are then those that it had bound by then."""


@dataclass(slots=True, eq=False, repr=False)
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
    owner: "Class | None" = None
    """The class in whose body it is defined."""
    abstract: bool = False

    @property
    def name(self) -> str:
        """Its `__name__`."""
        return "<lambda>" if isinstance(self.node, ast.Lambda) else self.node.name


@dataclass(slots=True, eq=False, repr=False)
class Class:
    """A class of the checkout."""

    node: ast.ClassDef
    scope: Scope
    bases: tuple[Value, ...]
    names: dict[str, Value]
    marks: list["Mark"] = field(default_factory=list)
    doubt: str = ""
    """Why it may have more names than are visible: a decorator or a metaclass that is not known."""
    is_dataclass: bool = False
    fields: tuple[tuple[str, bool], ...] = ()
    """Its own annotated names, each with whether it has a default."""
    has_plain_fields: bool = False
    """Whether `fields` are all that there is to know of its constructor."""
    order: list[Value] | None = field(default=None, repr=False)
    kind_of_enum: bool | None = field(default=None, repr=False)
    """What `is_enum` has found."""
    members: dict[str, "Member"] = field(default_factory=dict, repr=False)
    """Those that were asked for, if it is an enum."""
    sets: "Sets | None" = field(default=None, repr=False)
    """What its methods set, once somebody has asked."""

    @property
    def name(self) -> str:
        """Its `__name__`."""
        return self.node.name

    def line(self) -> list[Value]:
        """Python's method resolution order, itself first; bases outside of the tree are included as they are."""
        if self.order is None:
            # A class that descends from itself cannot be: its base is bound before it.
            lines = [base.line() if isinstance(base, Class) else [base] for base in self.bases]
            if sum(map(len, lines)) > MOST_BASES:
                raise Unknown(f"{self.name} inherits from too many classes")
            self.order = [self, *_merged([*map(list, lines), list(self.bases)])]
        return self.order

    def take_apart(self) -> None:
        """Drop everything that refers back to the class."""
        self.names.clear()
        self.members.clear()
        self.order = None
        self.sets = None

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
        if self.kind_of_enum is None:
            outside = (one for one in self.line() if isinstance(one, External))
            self.kind_of_enum = any(one.last.endswith(("Enum", "Flag")) for one in outside)
        return self.kind_of_enum

    @property
    def has_plain_members(self) -> bool:
        """Whether members of the enum are equal to nothing but themselves."""
        own = any("__eq__" in one.names or "__hash__" in one.names for one in self.line() if isinstance(one, Class))
        return not own and self.externals() <= {"enum.Enum", "abc.ABC", "builtins.object"}

    @property
    def is_simple(self) -> bool:
        """Whether its instances are true, and nothing special happens when their attributes are looked up."""
        special = {"__bool__", "__len__", "__getattr__", "__getattribute__", "__setattr__"}
        own = any(special & one.names.keys() for one in self.line() if isinstance(one, Class))
        return not own and not self.doubt and self.externals() <= {"abc.ABC", "builtins.object", "typing.Protocol"}

    def abstract(self) -> list[str]:
        """The names of its abstract methods that nothing defines: it has no instances then."""
        found: dict[str, bool] = {}
        for one in self.line() if self.is_abstract else ():
            for name, value in one.names.items() if isinstance(one, Class) else ():
                found.setdefault(name, isinstance(value, Function) and value.abstract)
        return [name for name, abstract in found.items() if abstract]

    @property
    def is_abstract(self) -> bool:
        """Whether its metaclass refuses instances with abstract methods."""
        return any(isinstance(one, External) and one.name == "abc.ABC" for one in self.line())


class Sets(NamedTuple):
    """The attributes of `self` that the methods of a class set."""

    once: Mapping[str, tuple["Function", ast.expr]]
    """Those that are always set to the same expression, with a method that does it."""
    several: frozenset[str]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an enum of the checkout."""

    of: Class
    name: str
    value: Value = field(compare=False)


@dataclass(slots=True, eq=False, repr=False)
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
class Super:
    """`super()` in a method of `owner`."""

    owner: Class
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


def unknown_object(module: ModuleScope, fields: Mapping[str, Value]) -> Instance:
    """An instance of a class that is not known, with those of its attributes that are."""
    scope = Scope(module, module.names)
    node = ast.ClassDef(name="", bases=[], keywords=[], body=[], decorator_list=[])
    return Instance(Class(node, scope, (Opaque("is not known"),), {}), dict(fields))


def _merged(lines: list[list[Value]]) -> Iterator[Value]:
    """The C3 merge of the orders of the bases; where Python would refuse the class, the first one that is left."""
    while lines := [line for line in lines if line]:
        heads = (line[0] for line in lines if not any(line[0] in other[1:] for other in lines))
        head = next(heads, lines[0][0])
        yield head
        lines = [[one for one in line if one != head] for line in lines]


def is_plain(value: Value) -> bool:
    """Whether a value consists of constants and collections of them, so that Python itself can compute with it."""
    if isinstance(value, tuple | list | set | frozenset):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(is_plain(one) for pair in value.items() for one in pair)
    return value is None or isinstance(value, bool | int | float | complex | str | bytes | range)
