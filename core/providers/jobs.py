# SPDX-License-Identifier: Apache-2.0
"""Which CI jobs select each row, cached until one of their inputs changes."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, cast

from core.ci import (
    Selected,
    Selection,
    groups,
    query_name,
    read_ci,
    read_selector,
    selected,
)
from core.domain.model import Finding
from core.matrix import Matrix, OtherRows, load, row_kind, store
from core.matrix.cache import Cache
from core.providers.models import model_infos
from core.sources import Checkout, ModelInfos, files_below, stamps_of
from core.sources.ci import CONFTEST, DURATIONS, Job, Jobs, read_jobs, scheduled


@dataclass(frozen=True, slots=True)
class _Cached:
    digest: bytes
    """Digest of the matrix and the loaders."""
    selected: Selected


def provide(cache: Cache, matrix: Matrix) -> Selected:
    """The column of scheduled jobs, also of the rows of other kinds."""
    return replace(selected_jobs(cache, matrix.model_tests), other_jobs=other_jobs(cache, matrix))


@dataclass(frozen=True, slots=True)
class _CachedOthers:
    digest: bytes
    by_id: Mapping[str, tuple[tuple[str, str], ...]]


class _SelectedKind(Protocol):
    """What `core.kinds.Kind` says of the jobs that select its rows."""

    def selected_by(self, rows: OtherRows) -> object: ...
    def selected(self, rows: OtherRows, jobs: Iterable[Job], cache: Cache) -> Mapping[str, Iterable[Job]]: ...


def other_jobs(cache: Cache, matrix: Matrix) -> Mapping[str, tuple[tuple[str, str], ...]]:
    """Name and machine of the scheduled jobs of each row that is no model test."""
    own = {id: tuple((job.text, job.runs_on) for job in jobs) for one in matrix.others for id, jobs in one.jobs.items()}
    decisive = {one.kind: _kind(one).selected_by(one) for one in matrix.others}
    selectable = [one for one in matrix.others if decisive[one.kind] is not None]
    if not selectable:
        return own
    digest = hashlib.sha256(repr([decisive[one.kind] for one in selectable]).encode(errors="surrogatepass"))
    cached = load(cache.file("other_jobs"))
    if isinstance(cached, _CachedOthers) and cached.digest == digest.digest():
        return {**cached.by_id, **own}
    stamps = stamps_of(job_files(cache.checkout))
    jobs = scheduled(read_jobs(cache.checkout)[0])
    found = {id: tuple(mine) for one in selectable for id, mine in _kind(one).selected(one, jobs, cache).items()}
    # A few sets of jobs cover all rows.
    sets = {mine: tuple((query_name(job, jobs[job]), job.runs_on) for job in mine) for mine in set(found.values())}
    by_id = {id: sets[mine] for id, mine in found.items()}
    store(cache.file("other_jobs"), _CachedOthers(digest.digest(), by_id), stamps)
    return {**by_id, **own}


def _kind(rows: OtherRows) -> _SelectedKind:
    return cast(_SelectedKind, row_kind(rows.kind))


def selected_jobs(cache: Cache, matrix: Matrix) -> Selected:
    """The scheduled jobs of the checkout and what they select, computed again only if an input has changed."""
    infos = model_infos(cache, matrix)
    digest = digest_of(matrix, infos)
    cached = load(cache.file("jobs"))
    if isinstance(cached, _Cached) and cached.digest == digest:
        return cached.selected
    stamps = stamps_of(job_files(cache.checkout))
    found = selected(read_ci(matrix, infos))
    store(cache.file("jobs"), _Cached(digest, found), stamps)
    return found


@dataclass(frozen=True, slots=True)
class Selections:
    """The jobs that select each test, with the copy of the job that runs it."""

    jobs: Jobs
    """All jobs, including those that are never scheduled, with what triggers them."""
    by_id: Mapping[str, tuple[Selection, ...]]
    """Leaves out tests that no job selects."""
    findings: tuple[Finding, ...]
    """Mistakes in the files that define the jobs."""


@dataclass(frozen=True, slots=True)
class _CachedSelections:
    digest: bytes
    selections: Selections


def selections(cache: Cache, matrix: Matrix, infos: ModelInfos) -> Selections:
    """What every job selects of the collected universe, which is what CI counts and splits."""
    digest = digest_of(matrix, infos)
    cached = load(cache.file("selections"))
    if isinstance(cached, _CachedSelections) and cached.digest == digest:
        return cached.selections
    stamps = stamps_of(job_files(cache.checkout))
    jobs, findings = read_jobs(cache.checkout)
    selector, more = read_selector(matrix, groups(infos.known))
    found = Selections(jobs, selector.all_selections(jobs), (*findings, *more))
    store(cache.file("selections"), _CachedSelections(digest, found), stamps)
    return found


def job_files(checkout: Checkout) -> Iterator[str]:
    """The files that jobs are read from, besides the index: presets, workflows that run them, the runner's skips."""
    yield from files_below(checkout.presets.parent.parent)
    yield from (str(checkout.root / path) for path in (CONFTEST, DURATIONS))


def digest_of(matrix: Matrix, infos: ModelInfos) -> bytes:
    """A digest of all that jobs select by, besides files of `job_files`: ids, entries, groups."""
    digest = hashlib.sha256("\n".join(matrix.ids).encode(errors="surrogatepass"))
    entries = [(id, entry.fields, id not in matrix.strays) for id, entry in matrix.entries.items()]
    groups = [(key, info.group) for key, info in infos.known.items()]
    digest.update(repr((entries, groups)).encode(errors="surrogatepass"))
    return digest.digest()
