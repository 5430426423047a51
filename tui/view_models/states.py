# SPDX-License-Identifier: Apache-2.0
"""The differences between two states as rows of a table, by loader, the most harmful first."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from core.base.text import counted, one_line
from core.doctor import severity
from core.domain.ids import TestId
from core.domain.model import TEST_MODULE, Entry, Severity
from core.states import (
    Difference,
    FieldChange,
    alike,
    entry_words,
    expectations_path,
    files_beside,
    lowers_gate,
    of_every_test,
    preset_path,
    status_words,
)
from tui.view_models.fitting import short_file
from tui.view_models.headings import Part
from tui.view_models.rows import Row, RowGroup, Rows
from tui.view_models.style import Cell, TableColumn

_JOBS, _HANDWRITTEN, _FINDINGS, _VERSIONS = "CI jobs", "hand-written tests", "findings", "versions"
_FILES = "other files"
_APART = {_JOBS, _HANDWRITTEN, _FINDINGS, _VERSIONS, _FILES}
"""Groups that are no loader: the last ones of those that do as much harm."""
_TO_LOOK_AT, _MOST_WORDS = 4, 50
"""The first rank without harm; so many changes of a group are said beside it."""
_BAD, _DOUBT, _GOOD, _PLAIN = "fail", "xfail", "pass", "dim"


class StateRow(NamedTuple):
    """One thing that differs."""

    group: str
    """The loader, or what else there is."""
    rank: int
    """Its rank by harm: 0 is the most harmful."""
    what: str
    style: str
    name: str
    """An id, a path, a job."""
    details: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """The files whose lines explain it, relative to the checkout."""
    ids: tuple[str, ...] = ()
    """The tests that it is about and that are still there."""
    added: bool = False
    """Whether these are new tests."""
    link: str = ""
    """Its page on the web."""


_COLUMNS = (TableColumn("change", 26, share=2), TableColumn("where", 40, share=3, elide=True, ids=True))


def rows_of_states(rows: Sequence[StateRow], marks: Collection[str] = ()) -> Rows[StateRow]:
    """The rows of a table; `marks` are the ids of the marked tests."""

    def cells(one: StateRow) -> Row:
        return [Cell(one_line(one.what), one.style)], [Cell(one_line(one.name))]

    def is_marked(one: StateRow) -> bool:
        return bool(one.ids) and all(id in marks for id in one.ids)

    return Rows(rows, _COLUMNS, cells, key=_key, id=lambda one: one.name, marked=is_marked)


def _key(one: StateRow) -> str:
    return f"{one.group} {one.what} {one.name}"


def state_rows(found: Difference, models: str) -> list[StateRow]:
    """All rows, the group with the most harm first; `models` is where the models are, relative to the checkout."""
    rows = [*_tests(found, models), *_loaders(found, models), *_ci(found), *_findings(found), *_others(found)]
    worst = {one.group: one.rank for one in sorted(rows, key=lambda one: -one.rank)}
    return sorted(rows, key=lambda one: (worst[one.group], one.group in _APART, one.group, one.rank, one.name))


def state_groups(rows: Sequence[StateRow]) -> list[RowGroup]:
    """The rows by loader; the heading counts what there is."""
    by_group: dict[str, list[int]] = {}
    for at, one in enumerate(rows):
        by_group.setdefault(one.group, []).append(at)
    groups = []
    for name, members in by_group.items():
        bad = sum(rows[at].rank < _TO_LOOK_AT for at in members)
        words = f"  {bad:,} to look at" if bad else ""
        parts = Part(bad, _BAD), Part(len(members) - bad, _PLAIN, "░")
        groups.append(RowGroup(name, (Cell(one_line(name), "running"), Cell(words, _BAD)), members, parts))
    return groups


def group_words(rows: Sequence[StateRow], *, listed: bool) -> list[tuple[str, str]]:
    """Texts about a group with their styles: its rows; where they are `listed` above, what there is to look at, and
    the rest as counts."""
    shown = [one for one in rows if one.rank < _TO_LOOK_AT] if listed else rows
    words = [(f"{one.what}  {one.name}", "error" if one.style == _BAD else "") for one in shown[:_MOST_WORDS]]
    if len(shown) > _MOST_WORDS:
        words.append((f"and {len(shown) - _MOST_WORDS:,} more", "dim"))
    rest = Counter(one.what.partition(":")[0] for one in rows if one not in shown)
    return [*words, *((f"{count:,} {what}", "dim") for what, count in rest.items())]


def by_shape(ids: Iterable[str]) -> dict[str, list[str]]:
    """The tests by what their ids say beside the model; inference on one device comes first."""
    found: dict[str, list[str]] = {}
    for id in ids:
        parsed = TestId.parse(id)
        shape = str(replace(parsed, directory="", variant=None)).strip("-") if parsed else id
        found.setdefault(shape, []).append(id)
    return dict(sorted(found.items(), key=lambda pair: pair[0] != _USUAL))


_USUAL = "single_device-inference"


class _Maker:
    """Makes the rows of tests: each with what its jobs do, and with the code of its loader."""

    def __init__(self, found: Difference, models: str) -> None:
        self._found, self._models = found, models
        self._code = {one.loader: tuple(f"{models}/{path}" for path in one.files) for one in found.loaders}
        self._jobs: dict[str, list[str]] = {}
        for job in found.jobs:
            for sign, ids in (("-", job.lost), ("+", job.gained)):
                for id in ids:
                    said = f"{sign} {job.job.file}: {job.job.name} on {job.job.runs_on}"
                    self._jobs.setdefault(id, []).append(said)

    def now(self, id: str) -> str:
        """The status of a test on each of its archs."""
        return _expected(self._found.has.get(id))

    def before(self, id: str) -> str:
        return f"was {_expected(self._found.had.get(id))}"

    def entry(self, id: str) -> Sequence[str]:
        """The fields of its entry, a line each; the former ones, if it is gone."""
        if id in self._found.has:
            return entry_words(self._found.has[id])
        first, *others = entry_words(self._found.had[id]) if id in self._found.had else ("",)
        return [f"it was {first}", *others] if first else []

    def row(self, id: str, rank: int, what: str, style: str, *details: str, there: bool = True) -> StateRow:
        loader = self._found.loader_of.get(id, "") or id.partition("-")[0]
        entries = (side[id].file for side in (self._found.had, self._found.has) if id in side)
        written = tuple(path for path in map(expectations_path, dict.fromkeys(entries)) if path in self._found.files)
        code = self._code.get(loader, () if written else (f"{self._models}/{loader}/loader.py",))
        files = (*written, *code)
        said = (*details, *self._jobs.get(id, ()))
        return StateRow(loader, rank, what, style, id, said, files, (id,) if there else ())


def _tests(found: Difference, models: str) -> Iterable[StateRow]:
    make = _Maker(found, models)
    yield from _leaving(found, make)
    yield from _entries(found, make)
    renamed = {one.before for one in found.renamed} | {one.after for one in found.renamed}
    yield from (make.row(one.after, 5, "renamed", _DOUBT, f"from {one.before}", one.why) for one in found.renamed)
    known = renamed.union(one.id for one in found.left if one.gone)
    for id in found.removed:
        if id not in known:
            yield make.row(id, 5, f"removed: {make.before(id)}", _DOUBT, there=False)
    known = renamed.union(found.entries_added)
    for id in found.added:
        if id not in known:
            yield make.row(id, 9, f"added: {make.now(id)}", _GOOD)._replace(added=True)


def _expected(entry: Entry | None) -> str:
    return f"{status_words(entry)}{'' if entry else ', without entry'}"


def _leaving(found: Difference, make: _Maker) -> Iterable[StateRow]:
    for left in found.left:
        gone = "removed, " if left.gone else ""
        what = f"{gone}{'leaves' if left.stays else 'leaves CI:'} {', '.join(left.machines)}"
        rank = 4 if left.stays else 0
        if "::" in left.id:
            file = left.id.partition("::")[0]
            yield StateRow(_HANDWRITTEN, rank, what, _BAD, left.id, left.why, (file,))
        else:
            expected = make.before(left.id) if left.gone else make.now(left.id)
            yield make.row(left.id, rank, what, _BAD, *left.why, expected, there=not left.gone)


def _entries(found: Difference, make: _Maker) -> Iterable[StateRow]:
    by_id: dict[str, list[FieldChange]] = {}
    for change in (*found.changed, *found.followed):
        by_id.setdefault(change.id, []).append(change)
    for id, changes in by_id.items():
        fallen = any(map(lowers_gate, changes))
        words = [one.words for one in alike(sorted(changes, key=lambda one: not lowers_gate(one)), found.has)]
        yield make.row(id, 1 if fallen else 6, words[0], _DOUBT if fallen else "", *words)
    yield from (make.row(id, 1, "its entry is gone", _BAD, *make.entry(id)) for id in found.unguarded)
    became = {one.before: f"its test is {one.after} now: {one.why}" for one in found.renamed}
    for id in found.orphaned:
        details = (*filter(None, [became.get(id)]), *make.entry(id))
        yield make.row(id, 2, "matches no test any more", _BAD, *details, there=False)
    yield from (make.row(id, 7, "matches a test now", _GOOD, *make.entry(id)) for id in found.reached)
    for id in found.entries_added:
        yield make.row(id, 7, f"entry added: {make.now(id)}", _GOOD, *make.entry(id))
    unguarded, removed = set(found.unguarded), set(found.removed)
    for id in found.entries_removed:
        if id not in unguarded:
            yield make.row(id, 6, f"entry removed: {make.before(id)}", "", *make.entry(id), there=id not in removed)


def _loaders(found: Difference, models: str) -> Iterable[StateRow]:
    for one in found.loaders:
        what = "requirements" if one.requirements else "code"
        entries, tests = counted(len(one.entries), "entry"), counted(len(one.tests), "test")
        passing = f" ({one.passing:,} must pass)" if one.passing else ""
        behind = f"{entries}{passing}, {tests} behind it"
        files = tuple(f"{models}/{path}" for path in one.files)
        rank = 3 if one.requirements and one.entries else 8
        name = f"{one.loader}: {', '.join(path.removeprefix(f'{one.loader}/') for path in one.files)}"
        yield StateRow(one.loader, rank, f"{what}: {behind}", _DOUBT, name, one.files, files, one.entries)


def _ci(found: Difference) -> Iterable[StateRow]:
    for preset in found.presets:
        said = "its jobs are the same" if preset.same else "not all of its jobs are the same"
        files = tuple(map(preset_path, preset[:2]))
        yield StateRow(_JOBS, 7, "preset renamed", "", f"{preset.before} -> {preset.after}", (said,), files)
    for job in found.jobs:
        sides = (("fewer", job.lost), ("more", job.gained))
        counts = ", ".join(f"{counted(len(ids), 'test')} {word}" for word, ids in sides if ids)
        name = f"{job.job.file}: {job.job.name} on {job.job.runs_on}"
        place = preset_path(job.job.file)
        ids = (*(f"- {id}" for id in job.lost), *(f"+ {id}" for id in job.gained))
        details = (*((job.why,) if job.why else ()), f"mark: {job.job.test_mark}", *ids)
        yield StateRow(
            _JOBS, 4 if job.why else 9, counts or "no tests", _DOUBT if job.lost else "", name, details, (place,)
        )
    for job in found.rearranged:
        name = f"{job.job.file}: {job.job.name} on {job.job.runs_on}"
        place = preset_path(job.job.file)
        yield StateRow(_JOBS, 9, job.why, "", name, ("its tests are the same",), (place,))


def _findings(found: Difference) -> Iterable[StateRow]:
    for one in found.new:
        bad = severity(one.kind) is Severity.ERROR
        where = f"{one.file}:{one.line}" if one.line else one.file
        text = (one.message, *((one.id,) if one.id else ()))
        yield StateRow(
            _FINDINGS, 3 if bad else 6, one.kind, _BAD if bad else _DOUBT, short_file(where), text, (one.file,)
        )
    for one in found.gone:
        yield StateRow(_FINDINGS, 9, f"{one.kind} is gone", _GOOD, short_file(one.file), (one.message,), (one.file,))


def _others(found: Difference) -> Iterable[StateRow]:
    left = {one.id for one in found.left}
    for id in found.handwritten_removed:
        if id not in left:
            yield StateRow(_HANDWRITTEN, 5, "removed", _DOUBT, id, (), (id.partition("::")[0],))
    for id in found.handwritten_added:
        where = found.runs_handwritten[id]
        what = f"added, runs on {', '.join(where)}" if where else "added, no scheduled job runs it"
        yield StateRow(_HANDWRITTEN, 9, what, _GOOD, id, (), (id.partition("::")[0],))
    for real in found.placeholders:
        yield StateRow(real.loader, 7, "a placeholder of this model is left", _GOOD, real.name, (), (TEST_MODULE,))
    for path in files_beside(found):
        every = of_every_test(path)
        what = "decides how every test runs" if every else "changed"
        yield StateRow(_FILES, 6 if every else 9, what, _DOUBT if every else "", path, (), (path,))
    for pin in found.pins:
        words = f"{pin.before or 'none'} -> {pin.after or 'none'}"
        said = (words, pin.link) if pin.link else (words,)
        yield StateRow(_VERSIONS, 6, words, "", pin.name, said, link=pin.link)
