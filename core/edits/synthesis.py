# SPDX-License-Identifier: Apache-2.0
"""From the wanted values on each arch to operations: find the smallest entry that gives them, and how to get there."""

import posixpath
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import attrgetter

from core.base.errors import UsageError
from core.domain.model import Entry, Function
from core.edits.operations import OVERRIDES, Operation, OpKind
from core.matrix import UNWRITTEN, Matrix, acting, marked_archs, raw_value, said_default, with_fields

_ARCHS = "supported_archs"
_DIRECTORIES = {Function.MODELS: "", Function.TORCH: "torch", Function.JAX: "jax", Function.LLM: "torch_llm"}

Wish = Mapping[str, Mapping[str, object]]
"""The wanted effective values by arch and field; None: as if the field were not written."""


def operations_for(matrix: Matrix, id: str, wish: Wish, added: Collection[str] = ()) -> tuple[Operation, ...]:
    """Operations that give each arch of `wish` its values in the fewest lines; other archs keep their effective values.

    Archs that the test is not marked for are skipped, unless they are `added`: those join the archs that it supports.
    An id without an entry gets one; with added archs, it supports just these and those of `wish`.
    """
    entry = matrix.entries.get(id)
    before = entry.fields if entry else {}
    marked = marked_archs(entry, matrix.schema.archs)
    if added:
        present = marked if entry is not None else [arch for arch in marked if arch in wish]
        marked = [arch for arch in matrix.schema.archs if arch in present or arch in added]
        before = {**before, _ARCHS: marked}
    after = synthesise(before, {arch: values for arch, values in wish.items() if arch in marked}, marked)
    if entry is None:
        return (Operation(OpKind.ADD, id, home_file(matrix, id), value=after),) if after else ()
    return tuple(operations_to(id, entry.file, entry.fields, after))


def home_file(matrix: Matrix, id: str) -> str:
    """The file an entry of `id` belongs in, relative to test_config. Raises UsageError for a stray id.

    See docs/rules.md 2.1.
    """
    member = matrix.member(matrix.rows[id])
    directory = _DIRECTORIES.get(matrix.function(matrix.rows[id]))
    if directory is None:
        raise UsageError(f"{id} does not have the form of a test id", "No file can be chosen for its entry.")
    # Explicit sharding strategies are in the file of the tensor_parallel entries.
    parallelism = "tensor_parallel" if member.parallelism.endswith("tensor_parallel") else member.parallelism
    return posixpath.join(directory, f"test_config_{member.mode}_{parallelism}.yaml")


@dataclass(frozen=True, slots=True)
class _Choice:
    """One way to write a field so that every arch gets its wanted value."""

    base: object
    """The value at the entry; `UNWRITTEN`: none."""
    overrides: Mapping[str, object]
    changed: int
    """The number of lines that differ from the present ones."""
    moved: bool
    """Whether the effect of the entry's own value changes."""

    @property
    def cost(self) -> tuple[int, int, bool]:
        return (self.base is not UNWRITTEN) + len(self.overrides), self.changed, self.moved


def synthesise(fields: Mapping[str, object], wish: Wish, archs: Sequence[str]) -> dict[str, object]:
    """`fields` of an entry, rewritten so that each arch of `wish` gets its values.

    The other archs in `archs` keep their effective values; archs outside it keep their overrides, but not the values
    they take from the entry. The result has the fewest lines; among equals, the fewest lines that differ from `fields`;
    then unchanged values of the entry itself. Fields that are not in `wish` stay as written.
    """
    archs = tuple(dict.fromkeys((*archs, *wish)))
    names = tuple(dict.fromkeys(name for values in wish.values() for name in values))
    entry = with_fields(None, fields)
    choices = {name: sorted(_choices(entry, name, wish, archs), key=attrgetter("cost")) for name in names}
    present = frozenset(_overrides(fields))
    others = present - {arch for arch in archs if (values := entry.overrides.get(arch)) and set(values) <= set(names)}
    best = min(_layouts(choices, others, present, archs), key=lambda one: one[0])
    return _written(fields, best[1], archs)


def operations_to(id: str, file: str, before: Mapping[str, object], after: Mapping[str, object]) -> list[Operation]:
    """Operations that turn the fields `before` of an entry into `after`: what is set comes before what is removed."""
    sets: list[Operation] = []
    unsets: list[Operation] = []
    old, new = dict(_flat(before)), dict(_flat(after))
    for path, value in new.items():
        if path not in old or not _same(old[path], value):
            sets.append(Operation(OpKind.SET, id, file, path, value))
    for path in old:
        if path not in new:
            unsets.append(Operation(OpKind.UNSET, id, file, path))
    return [*sets, *unsets]


def _layouts(
    choices: Mapping[str, Sequence[_Choice]], others: frozenset[str], present: frozenset[str], archs: Sequence[str]
) -> Iterator[tuple[tuple[int, int, int, int], dict[str, _Choice]]]:
    """For every set of archs that may have an override, the best choice of each field, with the total cost.

    Fields share only the lines that name archs, so for a given set of archs each field can be chosen by itself.
    """
    needed = [arch for arch in archs if any(arch in choice.overrides for way in choices.values() for choice in way)]
    for size in range(len(needed) + 1):
        for allowed in map(frozenset, combinations(needed, size)):
            best = {name: _cheapest(ways, allowed) for name, ways in choices.items()}
            if None in best.values():
                continue
            layout = {name: choice for name, choice in best.items() if choice is not None}
            named = others | allowed
            lines, changed = len(named) + bool(named), len(named ^ present) + (bool(named) != bool(present))
            costs = [choice.cost for choice in layout.values()]
            lines, changed = lines + sum(one[0] for one in costs), changed + sum(one[1] for one in costs)
            yield (lines, changed, sum(one[2] for one in costs), len(allowed)), layout


def _cheapest(ways: Iterable[_Choice], allowed: frozenset[str]) -> _Choice | None:
    """The first of `ways`, which are sorted by their cost, that has overrides for no other archs."""
    return next((one for one in ways if one.overrides.keys() <= allowed), None)


def _choices(entry: Entry, name: str, wish: Wish, archs: Sequence[str]) -> Iterator[_Choice]:
    """Every value that the entry itself could have, with the overrides that this requires."""
    own = raw_value(entry, name, None)
    present = {arch: values[name] for arch in archs if name in (values := entry.overrides.get(arch, {}))}
    wanted = {arch: _wanted(entry, name, wish, arch) for arch in archs}
    effects = {arch: acting(name, value) for arch, value in wanted.items()}
    now, unwritten = acting(name, own), acting(name, UNWRITTEN)
    bases: dict[Hashable, object] = {now: own}
    for effect, value in ((unwritten, UNWRITTEN), *((effects[arch], value) for arch, value in wanted.items())):
        bases.setdefault(effect, value)
    # An unwritten field means the same as a written default, with one line less.
    for effect, base in (*bases.items(), *(() if own is UNWRITTEN else ((unwritten, UNWRITTEN),))):
        needed = {
            arch: _spelled(name, value, present.get(arch, UNWRITTEN))
            for arch, value in wanted.items()
            if effects[arch] != effect
        }
        if (base is None and own is not None) or any(value is UNWRITTEN for value in needed.values()):
            continue
        changed = _lines_between(present, needed) + (not _same(own, base))
        yield _Choice(base, needed, changed, now != effect)


def _wanted(entry: Entry, name: str, wish: Wish, arch: str) -> object:
    if name in (asked := wish.get(arch, {})):
        return UNWRITTEN if asked[name] is None else asked[name]
    return raw_value(entry, name, arch)


def _spelled(name: str, value: object, present: object) -> object:
    """How an override writes `value`: as now if that is equivalent; `UNWRITTEN` if it cannot be written."""
    if present is not UNWRITTEN and acting(name, present) == acting(name, value):
        return present
    if acting(name, value) == acting(name, UNWRITTEN):
        return said_default(name)
    # A null that has an effect cannot be written, only left in place.
    return UNWRITTEN if value is None else value


def _lines_between(old: Mapping[str, object], new: Mapping[str, object]) -> int:
    return sum(not _same(old.get(arch, UNWRITTEN), new.get(arch, UNWRITTEN)) for arch in {**old, **new})


def _written(fields: Mapping[str, object], layout: Mapping[str, _Choice], archs: Sequence[str]) -> dict[str, object]:
    result = {name: value for name, value in fields.items() if name != OVERRIDES}
    present = _overrides(fields)
    overrides = {arch: dict(values) if isinstance(values, dict) else values for arch, values in present.items()}
    for name, choice in layout.items():
        _put(result, name, choice.base)
        for arch in archs:
            values = overrides.setdefault(arch, {})
            if isinstance(values, dict):
                _put(values, name, choice.overrides.get(arch, UNWRITTEN))
    left = {arch: values for arch, values in overrides.items() if values or values == present.get(arch)}
    return {**result, OVERRIDES: left} if left else result


def _put(values: dict[str, object], name: str, value: object) -> None:
    if value is UNWRITTEN:
        values.pop(name, None)
    else:
        values[name] = value


def _overrides(fields: Mapping[str, object]) -> Mapping[str, object]:
    found = fields.get(OVERRIDES)
    return found if isinstance(found, dict) else {}


def _flat(fields: Mapping[str, object]) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, value in fields.items():
        if name != OVERRIDES:
            yield (name,), value
    for arch, values in _overrides(fields).items():
        if isinstance(values, dict):
            yield from (((OVERRIDES, arch, name), value) for name, value in values.items())


def _same(one: object, other: object) -> bool:
    """Equal and of one type: `1`, `1.0` and `true` are three different texts."""
    return one is other or (type(one) is type(other) and one == other)
