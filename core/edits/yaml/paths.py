# SPDX-License-Identifier: Apache-2.0
"""The path to a place in an entry: keys of mappings (with a number if a name repeats) and indices of lists."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from core.edits.yaml.nodes import Node, NodeKind


def place_of(part: str, present: int | Sequence[str]) -> int | None:
    """The index that `part` of a path means, in a list of `present` items or among the keys `present` of a mapping.

    `name#2` is the second key `name`, unless a key is written exactly so.
    """
    if isinstance(present, int):
        return int(part) if part.isdecimal() and int(part) < present else None
    if part in present:
        return present.index(part)
    name, mark, number = part.rpartition("#")
    if not mark or not number.isdecimal():
        return None
    found = [at for at, other in enumerate(present) if other == name]
    return found[int(number) - 1] if 1 < int(number) <= len(found) else None


def numbered(names: Iterable[str]) -> Iterator[str]:
    """Each of `names` as paths write it: with its number from the second occurrence on."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield f"{name}#{seen[name]}" if seen[name] > 1 else name


def path_at(holder: Node, offset: int, *, single: bool = True) -> tuple[str, ...]:
    """The path below `holder` of the key or value that begins at `offset`; empty if none does.

    `single`: only match values that are no collections, because a collection may begin at its first key.
    """
    if holder.kind is NodeKind.SEQUENCE:
        steps = [(str(at), item, item) for at, item in enumerate(holder.items)]
    else:
        steps = list(zip(numbered(key.text for key in holder.keys), holder.keys, holder.items, strict=True))
    for name, key, value in steps:
        own = value.kind is NodeKind.SCALAR or (key is not value and not single)
        if (offset == value.start and own) or (offset == key.start and key.kind is NodeKind.SCALAR):
            return (name,)
        if value.start <= offset < value.end and (inner := path_at(value, offset, single=single)):
            return (name, *inner)
    return ()
