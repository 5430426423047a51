# SPDX-License-Identifier: Apache-2.0
"""What differs between two states of a checkout, as one value: tests, entries, CI jobs, code, findings and pins."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.domain.ids import TestId
from core.domain.model import Entry, Finding, Status
from core.matrix import Matrix, acting, differing, resolve, status_on, supported_archs
from core.sources import INDEX, WORK_TREE, Code, compare_link
from core.sources.ci import Job
from core.states.jobs import JobChange, Left, job_changes, leaving, moved_jobs, rearranged
from core.states.presets import RenamedPreset, renamed_presets, with_new_names
from core.states.renaming import Rename, renames
from core.states.sides import Sides
from core.states.state import State, changed_paths


class Moment(NamedTuple):
    """One of the two states."""

    name: str
    """As a person named it."""
    tt_xla: str
    """The commit; `index` or `worktree`."""
    models: str
    """The commit of the models; `worktree`; empty: they are no submodule."""


class FieldChange(NamedTuple):
    """One field of an entry that means something else."""

    id: str
    arch: str | None
    """None: what a run without `--arch` sees, and all archs if none of them is listed."""
    field: str
    before: object
    after: object


class LoaderChange(NamedTuple):
    """A loader that both states have, with other code."""

    loader: str
    """Its directory."""
    files: tuple[str, ...]
    """The files that differ, relative to the models tree: its own, modules that it imports, requirements."""
    tests: tuple[str, ...]
    """The ids of all its tests."""
    entries: tuple[str, ...]
    """Those of them that have an entry."""
    passing: int
    """How many of these must pass on an arch that they are marked for."""

    @property
    def own(self) -> tuple[str, ...]:
        """Those of the files that are beside the loader."""
        return tuple(path for path in self.files if path.startswith(f"{self.loader}/"))

    @property
    def requirements(self) -> tuple[str, ...]:
        """Those of the files that say what is installed."""
        return tuple(path for path in self.files if path.endswith(".txt"))


class RealPlaceholder(NamedTuple):
    """A planned model that has a loader now."""

    name: str
    loader: str


class Pin(NamedTuple):
    """A version that moved; empty: it was, or is, not pinned."""

    name: str
    before: str
    after: str

    @property
    def link(self) -> str:
        """The page that compares both; empty: none is known."""
        return compare_link(self.name, self.before, self.after)


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that differs. Ids and names are sorted; what two states have in common is left out."""

    before: Moment
    after: Moment
    added: tuple[str, ...]
    """Ids of tests that are new; renamed ones are among them, and among the removed ones."""
    removed: tuple[str, ...]
    renamed: tuple[Rename, ...]
    entries_added: tuple[str, ...]
    entries_removed: tuple[str, ...]
    changed: tuple[FieldChange, ...]
    followed: tuple[FieldChange, ...]
    """The fields in which the entry of a renamed test differs from the one of its former id, by its present id."""
    unguarded: tuple[str, ...]
    """Tests that were to pass, or to fail, somewhere, and that are still there, maybe renamed, without their entry."""
    orphaned: tuple[str, ...]
    """Ids of entries in both states whose test is gone."""
    reached: tuple[str, ...]
    """Ids of entries in both states that had no test, and have one now."""
    jobs: tuple[JobChange, ...]
    rearranged: tuple[JobChange, ...]
    """Jobs with the same tests, which run in another way."""
    presets: tuple[RenamedPreset, ...]
    """Presets under another name; their jobs are none that came or went."""
    moved_jobs: tuple[tuple[Job, Job], ...]
    """Scheduled jobs that are in another preset, as they were and as they are."""
    left: tuple[Left, ...]
    """What scheduled jobs ran, and run no more on some machines; model tests and hand-written ones."""
    loaders: tuple[LoaderChange, ...]
    placeholders: tuple[RealPlaceholder, ...]
    handwritten_added: tuple[str, ...]
    handwritten_removed: tuple[str, ...]
    runs_handwritten: Mapping[str, tuple[str, ...]]
    """The machines on which scheduled jobs run the new ones."""
    new: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    pins: tuple[Pin, ...]
    files: tuple[str, ...]
    """The files of the checkout that differ, whatever they mean; of the models only their directory."""
    loader_of: Mapping[str, str]
    """The loader of each id that is named above."""
    had: Mapping[str, Entry]
    """The entries of these ids in the first state."""
    has: Mapping[str, Entry]
    """And in the second."""

    @property
    def is_empty(self) -> bool:
        """Whether both states mean the same."""
        return not any(getattr(self, name) for name in _CONTENT)

    @property
    def fallen(self) -> tuple[FieldChange, ...]:
        """The changes after which a test may be worse than before without being noticed."""
        return tuple(one for one in (*self.changed, *self.followed) if lowers_gate(one))


_CONTENT = (
    *("added", "removed", "entries_added", "entries_removed", "changed", "orphaned", "reached", "jobs", "loaders"),
    *("placeholders", "handwritten_added", "handwritten_removed", "new", "gone", "pins", "left", "rearranged"),
    *("presets", "moved_jobs"),
)
_CHECKS = ("assert_pcc", "assert_atol", "assert_allclose")
_LEAST, _MOST = ("required_pcc",), ("required_atol", "allclose_rtol", "allclose_atol")
_RANK = {Status.EXPECTED_PASSING: 3, Status.KNOWN_FAILURE_XFAIL: 1}
"""How much a status guards: a failure is red, or at least seen; others say nothing."""


def lowers_gate(change: FieldChange) -> bool:
    """Whether a change lowers what a test must reach: a check is off, a threshold is looser, a failure is expected."""
    before, after = change.before, change.after
    if change.field == "status":
        return _rank(before) > _rank(after)
    if change.field in _CHECKS:
        return acting(change.field, before) is not False and acting(change.field, after) is False
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        return False
    return (change.field in _LEAST and after < before) or (change.field in _MOST and after > before)


def _rank(value: object) -> int:
    return _RANK.get(Status(str(value)) if str(value) in Status.__members__ else Status.UNSPECIFIED, 0)


def difference(before: State, after: State) -> Difference:
    """What differs between two states. Raises TTMatrixError where git or the disk fails."""
    one, other = before.matrix, after.matrix
    tests, entries = Sides.of(one.universe(), other.universe()), Sides.of(one.entries, other.entries)
    handwritten = Sides.of(before.others.handwritten, after.others.handwritten)
    found = renames(before, after, tests, entries)
    jobs = job_changes(before, after)
    changed = tuple(_changed(one, other, ((id, id) for id in entries.both)))
    dropped = frozenset(entries.removed)
    moved = [(one.before, one.after) for one in found if one.before in dropped]
    followed = tuple(_changed(one, other, (pair for pair in moved if pair[1] in other.entries)))
    both, tests_left = frozenset(entries.both), frozenset(tests.both)
    presets = renamed_presets(before.jobs, after.jobs)
    new, gone = findings_between(before.findings, after.findings, presets)
    named = {*tests.added, *tests.removed, *entries.added, *entries.removed, *(one.id for one in changed)}
    named |= both & (one.strays ^ other.strays)
    left = leaving(before, after, tests, handwritten, [(one.before, one.after) for one in found])
    unguarded = [id for id in entries.removed if id in tests_left and _guards(one.entries[id])]
    unguarded += [new for old, new in moved if new not in other.entries and _guards(one.entries[old])]
    named |= {one.id for one in left if "::" not in one.id}
    return Difference(
        before=moment(before),
        after=moment(after),
        added=tests.added,
        removed=tests.removed,
        renamed=found,
        entries_added=entries.added,
        entries_removed=entries.removed,
        changed=changed,
        followed=followed,
        unguarded=tuple(sorted(unguarded)),
        orphaned=tuple(sorted(both & other.strays - one.strays)),
        reached=tuple(sorted(both & one.strays - other.strays)),
        jobs=jobs,
        rearranged=rearranged(before, after),
        presets=presets,
        moved_jobs=moved_jobs(before, after),
        left=left,
        loaders=tuple(_loaders(before, after)),
        placeholders=tuple(_placeholders(before, after)),
        handwritten_added=handwritten.added,
        handwritten_removed=handwritten.removed,
        runs_handwritten={id: _machines(after.others.handwritten[id]) for id in handwritten.added},
        new=new,
        gone=gone,
        pins=tuple(_pins(before.pins, after.pins)),
        files=tuple(changed_paths(before, after)),
        loader_of={id: _loader_of(id, other, one) for id in sorted(named)},
        had={id: one.entries[id] for id in sorted(named) if id in one.entries},
        has={id: other.entries[id] for id in sorted(named) if id in other.entries},
    )


def _guards(entry: Entry) -> bool:
    """Whether a failure, or a success, of the test is noticed on any of its archs."""
    return any(_rank(status_on(entry, arch)) for arch in supported_archs(entry))


def _machines(jobs: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(sorted({machine for _, machine in jobs}))


def _must_pass(entry: Entry) -> bool:
    return any(status_on(entry, arch) is Status.EXPECTED_PASSING for arch in supported_archs(entry))


def moment(state: State) -> Moment:
    """The commits of a state."""
    if state.tree is None:
        return Moment(state.name, WORK_TREE, WORK_TREE)
    return Moment(state.name, state.tree.commit or INDEX, state.tree.models)


def _changed(one: Matrix, other: Matrix, pairs: Iterable[tuple[str, str]]) -> Iterator[FieldChange]:
    """Between the entries of each former and present id."""
    archs = tuple(dict.fromkeys((*other.schema.archs, *one.schema.archs)))
    for was, id in pairs:
        old, new = one.entries[was], other.entries[id]
        if old.fields != new.fields:
            yield from _field_changes(id, old, new, archs)


def _field_changes(id: str, old: Entry, new: Entry, archs: Sequence[str]) -> Iterator[FieldChange]:
    """The fields with another effect. Archs are listed one by one if they do not all change alike."""
    by_arch = {arch: differing(old, new, arch or None) for arch in ("", *archs)}
    for name in dict.fromkeys(name for names in by_arch.values() for name in names):
        changes = {arch: FieldChange(id, arch or None, name, *_values(name, old, new, arch)) for arch in by_arch}
        alike = {(acting(name, one.before), acting(name, one.after)) for one in changes.values()}
        yield from (
            change for arch, change in changes.items() if name in by_arch[arch] and (not arch or len(alike) > 1)
        )


def _values(name: str, old: Entry, new: Entry, arch: str) -> tuple[object, object]:
    return resolve(old, name, arch or None).value, resolve(new, name, arch or None).value


def _loader_of(id: str, *matrices: Matrix) -> str:
    """The loader of a test in the first matrix that has it."""
    return next((one.columns["loader"][one.rows[id]] for one in matrices if id in one.rows), "")


def _loaders(before: State, after: State) -> Iterator[LoaderChange]:
    """The loaders whose code differs. Nothing is read if git says that the models are the same."""
    if before.tree and after.tree and before.tree.models_key == after.tree.models_key != "":
        return
    matrix, old, new = after.matrix, before.codes, after.codes
    changed = {loader: files for loader in sorted(old.keys() & new) if (files := _differing(old[loader], new[loader]))}
    column = matrix.columns["loader"]
    tests: dict[str, list[str]] = {}
    for id, loader in zip(matrix.ids, column.texts(), strict=True):
        if loader in changed and id not in matrix.strays:
            tests.setdefault(loader, []).append(id)
    for loader, files in changed.items():
        entries = sorted(matrix.entries_by_loader.get(loader, ()))
        passing = sum(_must_pass(matrix.entries[id]) for id in entries)
        yield LoaderChange(loader, files, tuple(tests.get(loader, ())), tuple(entries), passing)


def _differing(old: Code, new: Code) -> tuple[str, ...]:
    had, has = dict(old.blobs), dict(new.blobs)
    return tuple(sorted(path for path in had.keys() | has if had.get(path) != has.get(path)))


def _placeholders(before: State, after: State) -> Iterator[RealPlaceholder]:
    """Planned models of either state that have a loader now, and had none."""
    names = sorted({*before.others.placeholders, *after.others.placeholders})
    if not names or before.matrix.loaders.keys() == after.matrix.loaders.keys():
        return
    had, has = before.models_of(names), after.models_of(names)
    for name in names:
        if has.get(name) and not had.get(name):
            yield RealPlaceholder(name, _loader_of(has[name][0], after.matrix))


def _pins(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Pin]:
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield Pin(name, before.get(name, ""), after.get(name, ""))


_PLACE, _NEAREST = re.compile(r":\d+\b"), re.compile(r"; closest: .*")


def findings_between(
    before: Iterable[Finding], after: Iterable[Finding], renamed: Sequence[RenamedPreset] = ()
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings that only the second state has, and those that only the first has.

    Lines may move, what is closest may be another one, an entry may be in another file, and a preset may be `renamed`.
    """
    # Each with what it is compared by.
    old = [(with_new_names(one, renamed), one) for one in before]
    new = [(one, one) for one in after]
    for identity in (_identity, _wherever):
        old, new = _beyond(old, new, identity), _beyond(new, old, identity)
    return tuple(one for _, one in new), tuple(one for _, one in old)


def _beyond(
    some: Sequence[tuple[Finding, Finding]],
    known: Sequence[tuple[Finding, Finding]],
    identity: Callable[[Finding], Hashable],
) -> list[tuple[Finding, Finding]]:
    left = Counter(identity(compared) for compared, _ in known)
    found: list[tuple[Finding, Finding]] = []
    for one in some:
        key = identity(one[0])
        if left[key]:
            left[key] -= 1
        else:
            found.append(one)
    return found


def _identity(one: Finding) -> tuple[str, str, str, str]:
    return one.kind, one.file, one.id, _NEAREST.sub("", _PLACE.sub("", one.message))


def _wherever(one: Finding) -> tuple[str, str, str, str]:
    """Of an entry, whatever file it is in."""
    kind, file, id, message = _identity(one)
    return kind, "" if id else file, id, message


class Touched(NamedTuple):
    """A test that is worth a run."""

    id: str
    why: str


def touched(found: Difference) -> tuple[Touched, ...]:
    """The tests that a difference touches and the second state has, those at most risk first, each once.

    First those whose gate fell or that left CI, then entries with a test again, other requirements, other code, other
    fields, new entries; at last new tests that run on one device.
    """
    loaders = sorted(found.loaders, key=lambda one: not one.requirements)
    ordered: tuple[tuple[str, Iterable[str]], ...] = (
        ("its gate fell", (*(one.id for one in found.fallen), *found.unguarded)),
        ("no job runs it any more", (one.id for one in found.left if not one.stays)),
        ("it left a machine", (one.id for one in found.left if one.stays)),
        ("its entry has a test again", found.reached),
        *((f"other {'requirements' if one.requirements else 'code'}", one.entries) for one in loaders),
        ("its entry changed", (one.id for one in (*found.changed, *found.followed))),
        ("its entry is new", found.entries_added),
        ("it is new", filter(_is_simple, found.added)),
    )
    gone = {*found.removed, *found.orphaned}
    why: dict[str, str] = {}
    for said, ids in ordered:
        for id in ids:
            if id not in gone and "::" not in id:
                why.setdefault(id, said)
    return tuple(Touched(id, said) for id, said in why.items())


def _is_simple(id: str) -> bool:
    parsed = TestId.parse(id)
    return (
        parsed is not None
        and parsed.llm is None
        and (parsed.parallelism, parsed.mode) == ("single_device", "inference")
    )
