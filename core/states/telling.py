# SPDX-License-Identifier: Apache-2.0
"""A difference in words, what does the most harm first: tests that leave CI, gates that fall, dead entries."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from core.base.text import counted, elide_middle
from core.ci import job_name
from core.doctor import severity
from core.domain.ids import TestId
from core.domain.model import Entry, Finding, Severity
from core.sources import Checkout, loader_file
from core.states.differing import Difference, FieldChange, LoaderChange, Pin, lowers_gate
from core.states.expectations import alike, chosen_by, entry_words, status_words
from core.states.jobs import JobChange, Left
from core.states.presets import RenamedPreset

T = TypeVar("T")

_JOB = "CI job"
_UNREAD = ("broken-yaml", "broken-preset")
"""What is found of a file whose tests or jobs are then unknown, which is not that there are none."""
_WIDEST = 100
"""Of the text of a field."""
_NAMED = 3
"""So many variants of a loader are named."""


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
    lost, back = ([one for one in some if one.kind in _UNREAD] for some in (found.new, found.gone))
    worse = [one for one in found.new if severity(one.kind) is Severity.ERROR and one not in lost]
    solved = [one for one in found.gone if one not in back]
    milder = [one for one in found.new if severity(one.kind) is not Severity.ERROR]
    gates = {*(one.id for one in lowered), *found.unguarded}
    growing = [one for one in found.jobs if not one.lost and not one.why]
    others = [one for one in found.jobs if one not in growing]
    told = [
        Section(f"{_files(lost)} cannot be read in full: what was there counts as gone", tuple(_by_kind(lost))),
        Section(f"{_files(back)} could not be read in full before: what is there counts as new", tuple(_by_kind(back))),
        Section(f"{_tests(away)} {_verb(away, 'leave')} CI", tuple(_leaving(away, found))),
        Section(f"{_tests(gates)} {_verb(gates, 'lower')} a gate", (*_unguarded(found), *_fields(lowered, found))),
        Section(
            f"{_entries(found.orphaned)} {_verb(found.orphaned, 'match')} no test any more", tuple(_orphaned(found))
        ),
        Section(counted(len(worse), "new error"), tuple(_by_kind(worse))),
        Section(f"{_tests(elsewhere)} {_verb(elsewhere, 'leave')} a machine", tuple(_leaving(elsewhere, found))),
        Section(f"{_tests(removed)} removed", tuple(_by_loader(removed, found, found.had))),
        Section(
            f"{counted(len(found.handwritten_removed), 'hand-written test')} removed", _each(found.handwritten_removed)
        ),
        Section(counted(len(milder), "new warning"), tuple(_by_kind(milder))),
        Section(f"{_tests(found.renamed)} renamed", tuple(_renamed(found))),
        Section(f"{_entries(found.entries_removed)} removed", tuple(_expecting(found.entries_removed, found.had))),
        Section(f"{_entries({one.id for one in other})} changed", tuple(_fields(other, found))),
        Section(f"{_entries(found.entries_added)} added", tuple(_expecting(found.entries_added, found.has))),
        Section(
            f"{_entries(found.reached)} {_verb(found.reached, 'match')} a test now",
            tuple(_expecting(found.reached, found.has)),
        ),
        Section(f"{counted(len(found.presets), 'preset')} renamed", tuple(map(_preset, found.presets))),
        Section(f"{counted(len(others), _JOB)} with other tests", tuple(_jobs(others))),
        Section(
            f"{counted(len(found.rearranged), _JOB)} with the same tests, run in another way",
            tuple(Item(f"{job_name(one.job)}: {one.why}") for one in found.rearranged),
        ),
        *files_of_every_test(found.files),
        Section(f"{_loaders(found.loaders)} with other code", tuple(_code(found.loaders))),
        Section(f"{_tests(added)} added", tuple(_by_loader(added, found, found.has))),
        Section(f"{counted(len(growing), _JOB)} with more tests", tuple(_jobs(growing))),
        Section(f"{counted(len(found.handwritten_added), 'hand-written test')} added", tuple(_written_by_hand(found))),
        Section(
            f"{counted(len(found.placeholders), 'placeholder')} with a loader now",
            tuple(Item(one.name, (one.loader,)) for one in found.placeholders),
        ),
        Section(f"{counted(len(found.pins), 'version')} moved", tuple(map(_pin, found.pins))),
        Section(f"{counted(len(solved), 'finding')} gone", tuple(_by_kind(solved))),
        *other_files(files_beside(found)),
    ]
    return [one for one in told if one.items]


def headline(found: Difference) -> list[str]:
    """The titles that matter most, without that of CI jobs, which follow from the others."""
    return [one.title for one in sections(found) if _JOB not in one.title]


def _tests(some: Iterable[object]) -> str:
    return counted(len(list(some)), "test")


def _files(some: Iterable[Finding]) -> str:
    return counted(len({one.file for one in some}), "file")


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
    """Those of renamed tests with the id that each has now, then what those expect whose test is gone."""
    became = {one.before: one.after for one in found.renamed}
    if moved := tuple(f"{id} -> {became[id]}" for id in found.orphaned if id in became):
        yield Item("the test has another id now", moved)
    yield from _expecting([id for id in found.orphaned if id not in became], found.has)


def _expecting(ids: Iterable[str], entries: Mapping[str, Entry]) -> Iterator[Item]:
    """By what their entries expect: the status on each arch, and the other fields."""

    def words(id: str) -> str:
        said = (elide_middle(one, _WIDEST) for one in entry_words(entries[id]))
        return ", ".join(said)

    return _grouped(ids, words, lambda id: id)


def _grouped(some: Iterable[T], key: Callable[[T], str], name: Callable[[T], str]) -> Iterator[Item]:
    """An item for those that are alike; the largest group first."""
    groups: dict[str, dict[str, None]] = {}
    for one in some:
        groups.setdefault(key(one), {})[name(one)] = None
    for text, names in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        yield Item(text, tuple(names))


def _leaving(some: Sequence[Left], found: Difference) -> Iterator[Item]:
    """By machines and cause: what happened to the test, to the jobs, else to the entry."""
    changes: dict[str, list[FieldChange]] = {}
    for change in found.changed:
        changes.setdefault(change.id, []).append(change)
    new, dropped = set(found.entries_added), set(found.entries_removed)

    def cause(one: Left) -> str:
        if one.gone:
            said = "the test is gone" + ("" if "::" in one.id else f"; it was {status_words(found.had.get(one.id))}")
        elif one.id in new:
            said = f"it has an entry now: {status_words(found.has[one.id])}"
        elif one.id in dropped:
            said = f"its entry is gone; it was {status_words(found.had[one.id])}"
        else:
            said = "; ".join(one.why) or chosen_by(changes.get(one.id, ()), found.has)
        return f"no job on {', '.join(one.machines)}" + (f" ({said})" if said else "")

    return _grouped(some, cause, lambda one: one.id)


def _unguarded(found: Difference) -> tuple[Item, ...]:
    return (Item("its entry is gone, so that no failure is red", found.unguarded),) if found.unguarded else ()


def _fields(changes: Sequence[FieldChange], found: Difference) -> Iterator[Item]:
    return _grouped(alike(changes, found.has), lambda one: one.words, lambda one: one.change.id)


def _renamed(found: Difference) -> Iterator[Item]:
    return _grouped(found.renamed, lambda one: one.why, lambda one: f"{one.before} -> {one.after}")


def _by_kind(findings: Sequence[Finding]) -> Iterator[Item]:
    return _grouped(findings, lambda one: one.kind, _place)


def _place(one: Finding) -> str:
    where = f"{one.file}:{one.line}" if one.line else one.file
    return f"{where}: {one.message}" + (f" [{one.id}]" if one.id else "")


def _jobs(changes: Iterable[JobChange]) -> Iterator[Item]:
    """A line for each job; for several machines, if these gain and lose the same tests in jobs of the same name."""
    groups: dict[tuple[object, ...], list[JobChange]] = {}
    for one in changes:
        groups.setdefault((one.job.file, one.job.name, one.gained, one.lost, one.why), []).append(one)
    return (_job(some) for some in groups.values())


def _job(some: Sequence[JobChange]) -> Item:
    one, machines = some[0], dict.fromkeys(change.job.runs_on for change in some)
    name = job_name(one.job) if len(some) == 1 else f"{one.job.file}: {one.job.name} on {', '.join(machines)}"
    counts = [f"{sign}{len(ids)}" for sign, ids in (("+", one.gained), ("-", one.lost)) if ids]
    said = f"{name}: {' '.join(counts) or 'no tests'}"
    names = (*(f"- {id}" for id in one.lost), *(f"+ {id}" for id in one.gained))
    return Item(f"{said}, {one.why}" if one.why else said, names)


def _preset(one: RenamedPreset) -> Item:
    said = "the same jobs" if one.same else "not all jobs are the same"
    return Item(f"{one.before} -> {one.after}: {said}")


def _code(loaders: Sequence[LoaderChange]) -> Iterator[Item]:
    """What changed requirements first; loaders that differ in the same files, beside none of them, are one item."""
    shared: dict[tuple[str, ...], list[LoaderChange]] = {}
    for one in sorted(loaders, key=lambda one: (not one.requirements, -len(one.entries), one.loader)):
        if one.own:
            what = "requirements, " if one.requirements else ""
            names = () if one.files == (loader_file(one.loader),) else one.files
            behind = f"{_entries(one.entries)}{_passing(one.passing)}, {_tests(one.tests)}"
            yield Item(f"{one.loader}: {what}{behind}", names)
        else:
            shared.setdefault(one.files, []).append(one)
    for files, some in shared.items():
        behind = counted(sum(len(one.entries) for one in some), "entry")
        passing = _passing(sum(one.passing for one in some))
        whose = some[0].loader if len(some) == 1 else _loaders(some)
        yield Item(f"{whose}: {behind}{passing}, through code of others", files)


def _passing(count: int) -> str:
    return f" ({count:,} must pass)" if count else ""


def _by_loader(ids: Iterable[str], found: Difference, entries: Mapping[str, Entry]) -> Iterator[Item]:
    """By loader and what is expected of them, with their variants."""

    def words(id: str) -> tuple[str, str]:
        entry = entries.get(id)
        return found.loader_of[id], f"{'' if entry else 'without entry, '}{status_words(entry)}"

    groups: dict[tuple[str, str], list[str]] = {}
    for id in ids:
        groups.setdefault(words(id), []).append(id)
    for (loader, expected), some in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        yield Item(f"{loader}: {_tests(some)}{_variants(some)}, {expected}", tuple(some))


def _variants(ids: Iterable[str]) -> str:
    parsed = [TestId.parse(id) for id in ids]
    names = list(dict.fromkeys(one.variant for one in parsed if one and one.variant))
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f" of {', '.join(names[:_NAMED])}{more}" if names else ""


def _written_by_hand(found: Difference) -> Iterator[Item]:
    """New hand-written tests by who runs them."""
    runs = found.runs_handwritten
    return _grouped(
        found.handwritten_added,
        lambda id: f"run on {', '.join(runs[id])}" if runs.get(id) else "no scheduled job runs it",
        lambda id: id,
    )


_OF_EVERY_TEST = re.compile(r"(?:tests/|)(?:\w*conftest\.py|pytest\.ini)|tests/runner/.*\.py|tests/infra/.*")
_MODELS = re.compile(r"third_party/tt_forge_models(?:/.*)?")
_PLACES = Checkout(Path())
_DEPTH = 2
"""Files below so many directories in common are one item."""


def of_every_test(path: str) -> bool:
    """Whether every test goes through a file."""
    return _OF_EVERY_TEST.fullmatch(path) is not None


def expectations_path(file: str) -> str:
    """A file of entries as git calls it."""
    return (_PLACES.test_config / file).as_posix()


def preset_path(file: str) -> str:
    """A preset as git calls it."""
    return (_PLACES.presets / file).as_posix()


def files_beside(found: Difference) -> list[str]:
    """The files that differ, but for those of which all is said by tests, entries, loaders and renamed presets."""
    told = {expectations_path(one.file) for one in (*found.had.values(), *found.has.values())}
    told |= {preset_path(name) for one in found.presets if one.same for name in (one.before, one.after)}
    return [path for path in found.files if path not in told and not _MODELS.fullmatch(path)]


def files_of_every_test(paths: Iterable[str]) -> Iterator[Section]:
    """The files that differ and that every test goes through."""
    every = tuple(filter(of_every_test, paths))
    if every:
        verb = "decides" if len(every) == 1 else "decide"
        yield Section(f"{counted(len(every), 'file')} that {verb} how every test runs", (Item("", every),))


def other_files(paths: Iterable[str]) -> Iterator[Section]:
    """What else differs."""
    rest = [path for path in paths if not of_every_test(path)]
    places: dict[str, list[str]] = {}
    for path in rest:
        places.setdefault("/".join(path.split("/")[:-1][:_DEPTH]), []).append(path)
    if rest:
        items = (Item(place if len(some) > 1 else "", tuple(some)) for place, some in places.items())
        yield Section(f"{counted(len(rest), 'other file')} changed", tuple(items))


def _pin(one: Pin) -> Item:
    return Item(f"{one.name}: {one.before or 'none'} -> {one.after or 'none'}", link=one.link)
