# SPDX-License-Identifier: Apache-2.0
"""Ids of parameters, as pytest makes them (`_pytest/python.py`, IdMaker)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from core.python import (
    Class,
    Expressions,
    External,
    Function,
    Instance,
    Mark,
    Member,
    ModuleScope,
    Opaque,
    Param,
    Partial,
    Raises,
    Unknown,
    Value,
    describe,
    name_of,
)
from core.sources.handwritten.records import EMPTY_SET

_LONGEST = 100
"""Longer texts are numbered by pytest 9."""
_NAMELESS = (tuple, list, dict, set, frozenset, range, slice, Instance, Partial, Param, Mark, type(Ellipsis))


@dataclass(frozen=True, slots=True)
class ParameterSet:
    """One set of values of a parametrization."""

    id: str
    marks: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Parametrization:
    """`@pytest.mark.parametrize(...)`, or the parameters of a fixture."""

    names: tuple[str, ...]
    sets: tuple[ParameterSet, ...]


def argument_names(value: Value) -> tuple[tuple[str, ...], bool]:
    """The names of a parametrization, and whether a set is the value of its only name. Raises Unknown."""
    if isinstance(value, str):
        names = tuple(name for part in value.split(",") if (name := part.strip()))
        return names, len(names) == 1 and not value.rstrip().endswith(",")
    if isinstance(value, tuple | list) and all(isinstance(one, str) for one in value):
        return tuple(value), False
    raise Unknown("the names of the parameters are not known")


def parametrization(names: Value, values: Value, ids: Value, expressions: Expressions) -> Parametrization:
    """The sets of `values` with their ids. Raises Unknown if an id is unknown."""
    arguments, alone = argument_names(names)
    if isinstance(values, Opaque):
        raise Unknown(values.reason)
    sets = [_parameter(value, alone, expressions) for value in expressions.elements(values)]
    if odd := next((one for one in sets if len(one.values) != len(arguments)), None):
        raise Raises("Failed", f"parametrize has {len(arguments)} names and a set of {len(odd.values)} values")
    if not sets:
        return Parametrization(arguments, (ParameterSet(EMPTY_SET, (Mark("skip"),)),))
    if isinstance(ids, Opaque):
        raise Unknown(f"the ids are not known: {ids.reason}")
    if isinstance(ids, list | tuple) and len(ids) != len(sets):
        raise Raises("Failed", f"parametrize has {len(sets)} sets of values and {len(ids)} ids")
    made = [_set_id(one, at, arguments, ids, expressions) for at, one in enumerate(sets)]
    found = zip(_unique(made), sets, strict=True)
    return Parametrization(arguments, tuple(ParameterSet(id, one.marks) for id, one in found))


def _parameter(value: Value, alone: bool, expressions: Expressions) -> Param:
    if isinstance(value, Param):
        return value
    if isinstance(value, Opaque) and not alone:
        raise Unknown(value.reason)
    return Param((value,) if alone else tuple(expressions.elements(value)))


def _set_id(one: Param, at: int, names: Sequence[str], ids: Value, expressions: Expressions) -> str:
    if one.id is not None:
        if not isinstance(one.id, str):
            raise Unknown("the id of a set is not known")
        return _escaped(one.id)
    if isinstance(ids, tuple | list) and at < len(ids) and ids[at] is not None:
        if isinstance(ids[at], Opaque):
            raise Unknown(ids[at].reason)
        return _own_id(ids[at], expressions) or ""
    idfn = ids if ids is not None and not isinstance(ids, tuple | list) else None
    return "-".join(
        _value_id(value, name, at, idfn, expressions) for value, name in zip(one.values, names, strict=True)
    )


def _value_id(value: Value, name: str, at: int, idfn: Value, expressions: Expressions) -> str:
    if idfn is not None:
        if isinstance(value, Opaque):
            raise Unknown(value.reason)
        made = expressions.call(idfn, [value], {})
        if isinstance(made, Opaque):
            raise Unknown(made.reason)
        if made is not None and (id := _own_id(made, expressions)) is not None:
            return id
    found = None if isinstance(value, str | bytes) and len(value) > _LONGEST else _own_id(value, expressions)
    return f"{name}{at}" if found is None else found


def _own_id(value: Value, expressions: Expressions) -> str | None:
    """The id of a value; None: it is numbered. Raises Unknown."""
    match value:
        case str() | bytes():
            return _escaped(value)
        case None | bool() | int() | float() | complex():
            return str(value)
        case Member():
            return _member_id(value, expressions)
        case External():
            return name_of(value)
        case Class() | Function():
            return value.name
        case ModuleScope():
            return str(value.names.get("__name__"))
        case Opaque(nameless=True):
            return None
        case Opaque(reason=reason):
            raise Unknown(reason)
    if isinstance(value, _NAMELESS):
        return None
    raise Unknown(f"the name of {describe(value)} is not known")


def _member_id(member: Member, expressions: Expressions) -> str:
    """The id of an enum member: its value if the member is also a text, else its `str`."""
    if member.of.externals() & {"builtins.str", "enum.StrEnum"} and isinstance(member.value, str):
        return _escaped(member.value)
    return expressions.text(member)


def _escaped(value: str | bytes) -> str:
    if isinstance(value, bytes):
        return value.decode("ascii", "backslashreplace")
    made = value.encode("unicode_escape").decode("ascii")
    # As in `_translate_non_printable`: the ASCII characters beyond the printable ones.
    return "".join(one if 32 <= ord(one) < 127 else f"\\x{ord(one):02x}" for one in made)


def _unique(ids: Sequence[str]) -> list[str]:
    counts = Counter(ids)
    found = list(ids)
    suffixes: dict[str, int] = defaultdict(int)
    for at, id in enumerate(ids):
        if counts[id] > 1:
            between = "_" if id[-1:].isdigit() else ""
            while (made := f"{id}{between}{suffixes[id]}") in found:
                suffixes[id] += 1
            found[at] = made
            suffixes[id] += 1
    return found
