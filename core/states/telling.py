# SPDX-License-Identifier: Apache-2.0
"""A difference in words, what does the most harm first: tests that leave CI, gates that fall, dead entries."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from core.base.text import counted
from core.ci import job_name
from core.doctor import severity
from core.domain.model import Finding, Severity
from core.matrix import text_of
from core.sources import loader_file
from core.states.differing import Difference, FieldChange, LoaderChange, Pin, lowers_gate
from core.states.jobs import JobChange, Left

T = TypeVar("T")

_JOB = "CI job"


class Item(NamedTuple):
    """One line: what happened, and to which tests, files or findings it happened."""

    text: str
    names: tuple[str, ...] = ()
    """Ids of tests for most items; paths for code."""
    link: str = ""
    """A page on the web."""


class Section(NamedTuple):
    """One kind of change."""

    title: str
    """With the number of what it is about: "3 tests leave CI"."""
    items: tuple[Item, ...]


def sections(found: Difference) -> list[Section]:
    """All of it, in the order of harm; empty sections are left out."""
    renamed = {one.before for one in found.renamed}, {one.after for one in found.renamed}
    removed = tuple(id for id in found.removed if id not in renamed[0])
    added = tuple(id for id in found.added if id not in renamed[1])
    lowered, other = found.fallen, [one for one in (*found.changed, *found.followed) if not lowers_gate(one)]
    away, elsewhere = ([one for one in found.left if one.stays is stays] for stays in (False, True))
    worse = [one for one in found.new if severity(one.kind) is Severity.ERROR]
    milder = [one for one in found.new if severity(one.kind) is not Severity.ERROR]
    gates = {*(one.id for one in lowered), *found.unguarded}
    told = [
        Section(f"{_tests(away)} {_verb(away, 'leave')} CI", tuple(_leaving(away, found))),
        Section(f"{_tests(gates)} {_verb(gates, 'lower')} a gate", (*_unguarded(found), *_fields(lowered))),
        Section(
            f"{_entries(found.orphaned)} {_verb(found.orphaned, 'match')} no test any more", tuple(_orphaned(found))
        ),
        Section(counted(len(worse), "new error"), tuple(_by_kind(worse))),
        Section(f"{_tests(elsewhere)} {_verb(elsewhere, 'leave')} a machine", tuple(_leaving(elsewhere, found))),
        Section(f"{_tests(removed)} removed", tuple(_by_loader(removed, found))),
        Section(
            f"{counted(len(found.handwritten_removed), 'hand-written test')} removed", _each(found.handwritten_removed)
        ),
        Section(counted(len(milder), "new warning"), tuple(_by_kind(milder))),
        Section(f"{_tests(found.renamed)} renamed", tuple(_renamed(found))),
        Section(f"{_entries(found.entries_removed)} removed", _each(found.entries_removed)),
        Section(f"{_entries({one.id for one in other})} changed", tuple(_fields(other))),
        Section(f"{_entries(found.entries_added)} added", _each(found.entries_added)),
        Section(f"{_entries(found.reached)} {_verb(found.reached, 'match')} a test now", _each(found.reached)),
        Section(f"{counted(len(found.jobs), _JOB)} with other tests", tuple(map(_job, found.jobs))),
        Section(
            f"{counted(len(found.rearranged), _JOB)} with the same tests, run in another way",
            tuple(Item(f"{job_name(one.job)}: {one.why}") for one in found.rearranged),
        ),
        Section(f"{_loaders(found.loaders)} with other code", tuple(_code(found.loaders))),
        Section(f"{_tests(added)} added", tuple(_by_loader(added, found))),
        Section(f"{counted(len(found.handwritten_added), 'hand-written test')} added", _each(found.handwritten_added)),
        Section(
            f"{counted(len(found.placeholders), 'placeholder')} with a loader now",
            tuple(Item(one.name, (one.loader,)) for one in found.placeholders),
        ),
        Section(f"{counted(len(found.pins), 'version')} moved", tuple(map(_pin, found.pins))),
        Section(f"{counted(len(found.gone), 'finding')} gone", tuple(_by_kind(found.gone))),
    ]
    return [one for one in told if one.items]


def headline(found: Difference) -> list[str]:
    """The titles that matter most, without that of CI jobs, which follow from the others."""
    return [one.title for one in sections(found) if _JOB not in one.title]


def _tests(some: Iterable[object]) -> str:
    return counted(len(list(some)), "test")


def _entries(some: Iterable[object]) -> str:
    return counted(len(list(some)), "entry")


def _loaders(some: Sequence[object]) -> str:
    return counted(len(some), "loader")


def _verb(some: Iterable[object], verb: str) -> str:
    """`leave`, or `leaves` for one."""
    if len(list(some)) != 1:
        return verb
    return f"{verb}es" if verb.endswith("ch") else f"{verb}s"


def _each(names: tuple[str, ...]) -> tuple[Item, ...]:
    """One item for all names, which have nothing to tell apart."""
    return (Item("", names),) if names else ()


def _orphaned(found: Difference) -> Iterator[Item]:
    """Those of renamed tests with the id that each has now, then those whose test is gone."""
    became = {one.before: one.after for one in found.renamed}
    if moved := tuple(f"{id} -> {became[id]}" for id in found.orphaned if id in became):
        yield Item("the test has another id now", moved)
    yield from _each(tuple(id for id in found.orphaned if id not in became))


def _grouped(some: Iterable[T], key: Callable[[T], str], name: Callable[[T], str]) -> Iterator[Item]:
    """An item for those that are alike; the largest group first."""
    groups: dict[str, dict[str, None]] = {}
    for one in some:
        groups.setdefault(key(one), {})[name(one)] = None
    for text, names in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        yield Item(text, tuple(names))


def _leaving(some: Sequence[Left], found: Difference) -> Iterator[Item]:
    """By machines and cause: what happened to the jobs, else to the entries."""
    fields: dict[str, dict[str, None]] = {}
    for change in found.changed:
        fields.setdefault(change.id, {})[change.field] = None

    def cause(one: Left) -> str:
        said = "; ".join(one.why) or ", ".join(f"its {name} changed" for name in fields.get(one.id, ()))
        return f"no job on {', '.join(one.machines)}" + (f" ({said})" if said else "")

    return _grouped(some, cause, lambda one: one.id)


def _unguarded(found: Difference) -> tuple[Item, ...]:
    return (Item("its entry is gone, so that no failure is red", found.unguarded),) if found.unguarded else ()


def _fields(changes: Sequence[FieldChange]) -> Iterator[Item]:
    return _grouped(changes, _field, lambda one: one.id)


def _field(one: FieldChange) -> str:
    where = f" on {one.arch}" if one.arch else ""
    return f"{one.field}{where}: {text_of(one.before) or 'none'} -> {text_of(one.after) or 'none'}"


def _renamed(found: Difference) -> Iterator[Item]:
    return _grouped(found.renamed, lambda one: one.why, lambda one: f"{one.before} -> {one.after}")


def _by_kind(findings: Sequence[Finding]) -> Iterator[Item]:
    return _grouped(findings, lambda one: one.kind, _place)


def _place(one: Finding) -> str:
    where = f"{one.file}:{one.line}" if one.line else one.file
    return f"{where}: {one.message}" + (f" [{one.id}]" if one.id else "")


def _job(change: JobChange) -> Item:
    counts = [f"{sign}{len(ids)}" for sign, ids in (("+", change.gained), ("-", change.lost)) if ids]
    said = f"{job_name(change.job)}: {' '.join(counts) or 'no tests'}"
    names = (*(f"- {id}" for id in change.lost), *(f"+ {id}" for id in change.gained))
    return Item(f"{said}, {change.why}" if change.why else said, names)


def _code(loaders: Sequence[LoaderChange]) -> Iterator[Item]:
    """What changed requirements first; loaders that differ in the same files, beside none of them, are one item."""
    shared: dict[tuple[str, ...], list[LoaderChange]] = {}
    for one in sorted(loaders, key=lambda one: (not one.requirements, -len(one.entries), one.loader)):
        if one.own:
            what = "requirements, " if one.requirements else ""
            names = () if one.files == (loader_file(one.loader),) else one.files
            yield Item(f"{one.loader}: {what}{_entries(one.entries)}, {_tests(one.tests)}", names)
        else:
            shared.setdefault(one.files, []).append(one)
    for files, some in shared.items():
        behind = counted(sum(len(one.entries) for one in some), "entry")
        whose = some[0].loader if len(some) == 1 else _loaders(some)
        yield Item(f"{whose}: {behind}, through code of others", files)


def _by_loader(ids: Iterable[str], found: Difference) -> Iterator[Item]:
    return (
        Item(f"{one.text}: {_tests(one.names)}", one.names)
        for one in _grouped(ids, lambda id: found.loader_of[id], lambda id: id)
    )


def _pin(one: Pin) -> Item:
    return Item(f"{one.name}: {one.before or 'none'} -> {one.after or 'none'}", link=one.link)
