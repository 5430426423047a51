# SPDX-License-Identifier: Apache-2.0
"""What scheduled CI jobs gain and lose between two states, and why; which tests leave CI altogether."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from core.ci import query_name
from core.sources.ci import Job, Jobs, cadence_text, scheduled
from core.states.presets import RenamedPreset, bare, renamed_presets, under_new_name
from core.states.sides import Sides
from core.states.state import State


class JobChange(NamedTuple):
    """A scheduled job that selects other tests than before, or is scheduled in one of the states only."""

    job: Job
    """As it is now; if it is gone, as it was."""
    gained: tuple[str, ...]
    """Ids of model tests, sorted."""
    lost: tuple[str, ...]
    why: str
    """How the job itself changed; empty: it did not, so that the tests or their entries differ."""


class Left(NamedTuple):
    """A test that scheduled jobs ran, and that none runs on some machines any more."""

    id: str
    machines: tuple[str, ...]
    """Where it ran."""
    stays: bool
    """Whether scheduled jobs still run it elsewhere."""
    why: tuple[str, ...]
    """How the jobs that ran it there changed; empty: they are as before, so that its markers differ."""
    gone: bool = False
    """Whether the test itself is gone."""


def job_changes(before: State, after: State) -> tuple[JobChange, ...]:
    """The jobs whose tests differ, by file and place."""
    old, new = _selections(before), _selections(after)
    ways = _Ways(before.jobs, after.jobs)
    found: list[JobChange] = []
    for one, other in matched(old, new, ways.renamed):
        had, has = (old[one] if one else frozenset()), (new[other] if other else frozenset())
        why = ways.why(one, other)
        if had != has or not (one and other):
            job = other or one
            assert job is not None, "a pair has at least one job"
            found.append(JobChange(job, tuple(sorted(has - had)), tuple(sorted(had - has)), why))
    return tuple(sorted(found, key=lambda change: (change.job.file, change.job.index)))


def rearranged(before: State, after: State) -> tuple[JobChange, ...]:
    """The scheduled jobs that select the same tests, and run them in another way."""
    old, new = _selections(before), _selections(after)
    ways = _Ways(before.jobs, after.jobs)
    found = [
        JobChange(other, (), (), why)
        for one, other in matched(old, new, ways.renamed)
        if one and other and old[one] == new[other] and (why := ways.differing(one, other, _SHOWN | _MANNER))
    ]
    return tuple(sorted(found, key=lambda change: (change.job.file, change.job.index)))


def moved_jobs(before: State, after: State) -> tuple[tuple[Job, Job], ...]:
    """The scheduled jobs that are in another preset, which is not their former one under another name."""
    ways = _Ways(before.jobs, after.jobs)
    pairs = matched(scheduled(before.jobs), scheduled(after.jobs), ways.renamed)
    return tuple((one, other) for one, other in pairs if one and other and ways.moved(one, other))


def _selections(state: State) -> dict[Job, frozenset[str]]:
    """The ids that each scheduled job selects."""
    selected, ids = state.selected, state.matrix.ids
    rows: dict[int, list[str]] = {}
    for id, code in zip(ids, selected.codes, strict=True):
        rows.setdefault(code, []).append(id)
    return {
        job: frozenset(id for code, mask in enumerate(selected.sets) if mask >> bit & 1 for id in rows.get(code, ()))
        for bit, job in enumerate(selected.jobs)
    }


_ALIKE: tuple[Callable[[Job], object], ...] = (
    lambda job: replace(job, index=0),
    lambda job: (job.file, job.name, job.runs_on, job.dir, job.test_mark),
    bare,
    lambda job: (job.file, job.name, job.runs_on, job.dir),
    lambda job: (job.file, job.name, job.runs_on),
    lambda job: (job.file, job.runs_on, job.dir, job.test_mark),
    lambda job: (job.file, job.name, job.dir, job.test_mark),
    lambda job: (job.file, job.dir, job.test_mark),
    lambda job: (job.file, job.index),
)
"""How a job is found again: exactly, in another preset, then by fewer and fewer of its fields; its place comes last."""


def matched(
    old: Iterable[Job], new: Iterable[Job], renamed: Sequence[RenamedPreset] = ()
) -> list[tuple[Job | None, Job | None]]:
    """The jobs of two states in pairs; None: there is none on that side. The most alike are paired first.

    `renamed` are the presets that have another name.
    """
    left, right = dict.fromkeys(old), dict.fromkeys(new)
    pairs: list[tuple[Job | None, Job | None]] = []
    for key in _ALIKE:
        groups: dict[object, list[Job]] = {}
        for job in right:
            groups.setdefault(key(job), []).append(job)
        for job in tuple(left):
            if candidates := groups.get(key(under_new_name(job, renamed))):
                other = candidates.pop(0)
                del left[job], right[other]
                pairs.append((job, other))
    return [*pairs, *((job, None) for job in left), *((None, job) for job in right)]


def leaving(
    before: State, after: State, tests: Sides, handwritten: Sides, renamed: Sequence[tuple[str, str]] = ()
) -> tuple[Left, ...]:
    """What leaves machines, given the tests of both states, and the former and present ids of renamed ones.

    Those that leave CI altogether come first. A hand-written test is gone if its function is: parameters are no tests
    of their own.
    """
    fates = _fates(before, after)
    had, has = _model_jobs(before), _model_jobs(after)
    written, now = before.others.handwritten, after.others.handwritten
    was = {new: f"its id was {old}" for old, new in renamed}
    pairs = [(id, had(id), has(id)) for id in tests.both]
    pairs += [(id, written[id], now[id]) for id in handwritten.both]
    pairs += [(new, had(old), has(new)) for old, new in renamed]
    left = [
        Left(id, machines, bool(runs), _reasons(fates, ran, machines, was.get(id, "")))
        for id, ran, runs in pairs
        if ran is not runs and (machines := _lost(ran, runs))
    ]
    followed, functions = {old for old, _ in renamed}, set(map(_function, now))
    gone = [(id, had(id)) for id in tests.removed if id not in followed]
    gone += [(id, written[id]) for id in handwritten.removed if _function(id) not in functions]
    left += [Left(id, machines, False, (), gone=True) for id, ran in gone if (machines := _lost(ran, ()))]
    return tuple(sorted(left, key=lambda one: (one.stays, one.gone, one.id)))


def _lost(ran: "Named", runs: "Named") -> tuple[str, ...]:
    return tuple(sorted({where for _, where in ran} - {where for _, where in runs}))


def _reasons(fates: Mapping[str, str], ran: "Named", machines: Collection[str], renamed: str) -> tuple[str, ...]:
    changed = (fates.get(name, "") for name, where in ran if where in machines)
    return tuple(filter(None, dict.fromkeys((renamed, *changed))))


def _function(id: str) -> str:
    return id.partition("[")[0]


Named = Collection[tuple[str, str]]
"""Jobs, each by its name in queries and its machine."""


def _model_jobs(state: State) -> Callable[[str], Named]:
    """Tells the scheduled jobs that run a model test."""
    selected, rows = state.selected, state.matrix.rows
    pairs = [(name, job.runs_on) for name, job in zip(selected.names, selected.jobs, strict=True)]
    of_set = [tuple(pair for bit, pair in enumerate(pairs) if mask >> bit & 1) for mask in selected.sets]
    return lambda id: of_set[selected.codes[rows[id]]]


def _fates(before: State, after: State) -> dict[str, str]:
    """How each scheduled job changed that is not as before, by its name in queries."""
    old, ways = scheduled(before.jobs), _Ways(before.jobs, after.jobs)
    found: dict[str, str] = {}
    for one, other in matched(old, scheduled(after.jobs), ways.renamed):
        if one is not None and (why := ways.why(one, other)):
            found[query_name(one, old[one])] = f"{one.file}: {one.name}: {why}"
    return found


_SHOWN = {"test_mark": "mark", "contains": "-k", "runs_on": "runs-on", "dir": "dir", "args": "args", "name": "name"}
"""The fields of a job that decide what it selects, as people call them."""


_MANNER = {
    **{"parallel_groups": "parallel-groups", "shared_runners": "shared-runners", "forked": "forked"},
    **{"require": "require", "extra_wheel": "extra-wheel", "topology": "topology", "multihost": "multihost"},
}
"""The fields that decide how it runs what it selects."""


class _Ways:
    """How jobs changed between two states."""

    def __init__(self, before: Jobs, after: Jobs) -> None:
        self.before, self.after = before, after
        self.renamed = renamed_presets(before, after)

    def why(self, old: Job | None, new: Job | None) -> str:
        """How a job changed; empty: it is as before."""
        if old is None and new is not None:
            return "scheduled now" if any(self._same(job, new) for job in self.before) else "new"
        if new is None and old is not None:
            still = any(self._same(old, job) for job in self.after)
            return "no workflow schedules it any more" if still else "removed"
        assert old is not None and new is not None, "a pair has at least one job"
        return self.differing(old, new, _SHOWN)

    def differing(self, old: Job, new: Job, fields: Mapping[str, str]) -> str:
        """`mark: push -> nightly`, with the words for `fields`."""
        pairs = {word: (getattr(old, name), getattr(new, name)) for name, word in fields.items()}
        pairs["--arch"] = old.arch, new.arch
        pairs["scheduled"] = cadence_text(self.before.get(old, ())), cadence_text(self.after.get(new, ()))
        if self.moved(old, new):
            pairs["preset"] = old.file, new.file
        return "; ".join(
            f"{word}: {was or 'none'} -> {now or 'none'}" for word, (was, now) in pairs.items() if was != now
        )

    def moved(self, old: Job, new: Job) -> bool:
        """Whether a job is in another preset."""
        return under_new_name(old, self.renamed).file != new.file

    def _same(self, old: Job, new: Job) -> bool:
        return replace(under_new_name(old, self.renamed), index=0) == replace(new, index=0)
