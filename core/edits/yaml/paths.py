# SPDX-License-Identifier: Apache-2.0
"""The way to a place in an entry: keys of mappings, the second of one name with its number, and indices of lists."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from core.edits.yaml.nodes import Node, NodeKind


def place_of(part: str, present: int | Sequence[str]) -> int | None:
    """The index that `part` of a path means: of one of so many items of a list, or of these keys of a mapping.

    `name#2` is the second key of the name, where no key is written so.
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
    """Each of `names` as paths call it: from its second time on with its number."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield f"{name}#{seen[name]}" if seen[name] > 1 else name


def path_at(holder: Node, offset: int, *, single: bool = True) -> tuple[str, ...]:
    """The path below `holder` of the key or value that begins at `offset`; empty: none does.

    `single`: only of a value that is no collection, for a collection may begin where its first key does.
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
