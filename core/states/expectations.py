# SPDX-License-Identifier: Apache-2.0
"""What entries expect, in words: the status on each arch, then their other fields; and what of it changed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.domain.model import Entry
from core.edits import fields_in_words
from core.matrix import status_on, supported_archs, supports, text_of
from core.states.differing import FieldChange

SELECTING = ("status", "markers", "supported_archs")
"""The fields by which jobs select tests."""


def archs_of(entry: Entry | None) -> list[str]:
    """The archs that a test is marked for."""
    own = supported_archs(entry)
    return [arch for arch in dict.fromkeys((*own, *(entry.overrides if entry else ()))) if supports(entry, arch)]


def status_words(entry: Entry | None) -> str:
    """`EXPECTED_PASSING on n150; KNOWN_FAILURE_XFAIL on p150`: the effective status wherever the test is marked."""
    found: dict[str, list[str]] = {}
    for arch in archs_of(entry):
        found.setdefault(status_on(entry, arch), []).append(arch)
    return "; ".join(f"{status} on {', '.join(archs)}" for status, archs in found.items())


def entry_words(entry: Entry) -> list[str]:
    """The status on each arch, then a line for every other field that it writes."""
    return [status_words(entry), *fields_in_words(entry, beside=("status", "supported_archs"))]


class AlikeChange(NamedTuple):
    """One field of an entry that changes in the same way on some archs."""

    change: FieldChange
    """The first of them."""
    archs: tuple[str, ...]
    """Empty: on all."""

    @property
    def words(self) -> str:
        one, where = self.change, f" on {', '.join(self.archs)}" if self.archs else ""
        return f"{one.field}{where}: {_value(one.field, one.before)} -> {_value(one.field, one.after)}"


def _value(field: str, value: object) -> str:
    if field == "supported_archs" and not value:
        return f"none, so {', '.join(supported_archs(None))}"
    return text_of(value) or "none"


def alike(changes: Iterable[FieldChange], entries: Mapping[str, Entry]) -> Iterator[AlikeChange]:
    """Changes of a field on archs, those that are the same on several as one.

    Archs that neither the test is marked for say nothing where there are others.
    """
    groups: dict[tuple[str, str, str, str], list[FieldChange]] = {}
    for one in changes:
        groups.setdefault((one.id, one.field, repr(one.before), repr(one.after)), []).append(one)
    for some in groups.values():
        marked = archs_of(entries.get(some[0].id))
        archs = [one.arch for one in some if one.arch]
        yield AlikeChange(some[0], tuple(arch for arch in archs if arch in marked) or tuple(archs))


def chosen_by(changes: Sequence[FieldChange], entries: Mapping[str, Entry]) -> str:
    """Why jobs may select the test of these changes no more: the fields that they select by, else all that changed."""
    telling = [one for one in changes if one.field in SELECTING]
    if telling:
        return ", ".join(one.words for one in alike(telling, entries))
    return ", ".join(dict.fromkeys(f"its {one.field} changed" for one in changes))
