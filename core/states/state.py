# SPDX-License-Identifier: Apache-2.0
"""The state of a checkout at a commit, in the index or in the work tree: each part is read once, then cached.

A part of a commit is read from files that are laid out in a directory of the cache, by the code that reads a work tree.
It is stored under the ids of git's trees, so that it is valid for ever.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from core import doctor, handwritten, providers
from core.base.files import read_loosely
from core.base.locks import locked
from core.ci import Selected, query_name
from core.domain.model import Finding
from core.edits import model_tests_of
from core.issues import IssueState
from core.matrix import (
    HANDWRITTEN_KIND,
    PLACEHOLDER_KIND,
    Matrix,
    Universe,
    load,
    read_and_join,
    store,
    with_placeholder_rows,
)
from core.matrix.cache import Cache
from core.python import ModuleFacts
from core.sources import (
    INDEX,
    WORK_TREE,
    Checkout,
    Code,
    EditedTree,
    ExpectationFile,
    Git,
    KnownFiles,
    Layout,
    LoaderFiles,
    ModelInfos,
    Tree,
    Unreadable,
    read_pins,
    read_tree,
    stamp_of,
    undisturbed,
)
from core.sources.ci import Job, Jobs, read_jobs, scheduled
from core.states.ranges import paths_between

T = TypeVar("T")

_NO_FILE = "/dev/null"
_MOST_STATES = 40
"""How many states stay cached; each takes a few megabytes."""
_PATIENCE_SECONDS = 120.0
"""How long to wait for another process that reads a state."""

_FILES = "files"
"""The directory beside those of states in which the files of one are laid out."""

Machines = Mapping[str, tuple[tuple[str, str], ...]]
"""By id the scheduled jobs that select it: the name of each in queries, and its machine."""


Planned = Mapping[Job, tuple[tuple[str, int | None], ...]]
"""By job its tests, each with the copy of the job that runs it, from 1; None: not known."""


class Others(NamedTuple):
    """What is not a test of a model: every hand-written test and every placeholder."""

    handwritten: Machines
    placeholders: Machines


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """A checkout at one moment. Every part is read when it is first used.

    Raises TTMatrixError where git or the disk fails.
    """

    name: str
    """As a person named it."""
    tree: Tree | None
    """What git knows; None: it is the work tree."""
    _reader: "_Reader"
    _op_directories: Sequence[str]
    _issues: Mapping[str, IssueState]

    @cached_property
    def matrix(self) -> Matrix:
        """Its matrix. Of a commit, the files below `matrix.checkout` may by now be those of another one."""
        return self._reader.matrix()

    @cached_property
    def selected(self) -> Selected:
        """Which scheduled jobs select which tests."""
        matrix = self.matrix
        return self._reader.part("selected", Selected, lambda cache: providers.selected_jobs(cache, matrix))

    @cached_property
    def others(self) -> Others:
        """The hand-written tests and the placeholders."""
        matrix = self.matrix
        return self._reader.part("others", Others, lambda cache: _others(cache, matrix))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What doctor finds, with what is known of issues now."""
        matrix, directories = self.matrix, self._op_directories
        kind = f"findings {' '.join(directories)}".replace("/", "+")
        found = self._reader.part(kind, tuple, lambda cache: doctor.examine(cache, matrix, directories))
        if not self._issues:
            return found
        blames = self._reader.part("blames", tuple, lambda cache: doctor.blames(cache, matrix))
        return doctor.ordered([*found, *doctor.closed_issue_findings(blames, self._issues)])

    @cached_property
    def codes(self) -> Mapping[str, Code]:
        """The code of every loader by its directory: its own files, and those of the models tree that it imports."""
        loaders = tuple(self.matrix.loaders)
        return self._reader.part("codes", dict, lambda cache: self._reader.codes(cache, loaders))

    @cached_property
    def infos(self) -> ModelInfos:
        """What loaders report about their models."""
        matrix = self.matrix
        return self._reader.part("infos", ModelInfos, lambda cache: providers.model_infos(cache, matrix))

    @cached_property
    def jobs(self) -> Jobs:
        """Every job of the presets with its triggers, scheduled or not."""
        return self._reader.part("jobs", dict, lambda cache: dict(read_jobs(cache.checkout)[0]))

    @cached_property
    def planned(self) -> Planned:
        """The tests of every job of the presets: those of models, and those by hand that scheduled jobs run."""
        infos, others = self.infos, self.others
        return self._reader.part("planned", dict, lambda cache: _planned(cache, infos, others))

    @cached_property
    def pins(self) -> Mapping[str, str]:
        """The versions that it pins, by name."""
        return self._reader.part("pins", dict, lambda cache: read_pins(cache.checkout))

    def models_of(self, placeholders: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """The tests of the model that each placeholder names, as far as there is one."""
        matrix, infos, names = self.matrix, self.infos, sorted(set(placeholders))
        digest = hashlib.sha1("\0".join(names).encode(errors="surrogatepass")).hexdigest()
        return self._reader.part(f"models-{digest}", dict, lambda _: model_tests_of(matrix, infos, names))

    @property
    def models_place(self) -> str:
        """Where the models are, relative to the checkout."""
        return self.matrix.checkout.relative(self.matrix.checkout.models)

    def texts(self, paths: Iterable[str]) -> Mapping[str, str]:
        """The text of files, by path relative to the checkout; what is missing, or no text, is left out."""
        return self._reader.texts(paths)

    @property
    def root(self) -> Path:
        """The checkout that it is a state of."""
        return self._reader.root


@dataclass(frozen=True, eq=False)
class States:
    """Reads a checkout at the moments that a person names."""

    cache: Cache
    op_directories: Sequence[str] = ()
    """Where op manifests are, relative to the checkout; doctor looks at them."""
    issues: Mapping[str, IssueState] = field(default_factory=dict)
    """What is known of issues; doctor asks whether those that explain failures are closed."""

    def at(self, name: str, models: str = "") -> State:
        """The state at a commit, a branch, `index` or `worktree`. `models` names another commit of the models.

        Raises UsageError if git knows no such commit, and TTMatrixError if its files are not here.
        """
        if name == WORK_TREE and not models:
            return State(name, None, _WorkTree(self.cache, self.cache.file("states")), self.op_directories, self.issues)
        return self.of(read_tree(self.cache.checkout, name, models))

    def of(self, tree: Tree) -> State:
        """The state of a tree of git."""
        reader = _Commit(tree, self.cache.file("states"), self.cache.file("shared"))
        return State(tree.name, tree, reader, self.op_directories, self.issues)


def edited(states: States, name: str, texts: Mapping[str, str]) -> State:
    """The state at a commit with other texts in some files, by their path in the checkout. Raises as `States.at`."""
    tree = read_tree(states.cache.checkout, name)
    changed = EditedTree(tree.checkout, f"{name} with edits", tree.commit, tree.models, texts)
    return states.of(changed)


class _Reader(Protocol):
    """Where the parts of a state come from."""

    @property
    def root(self) -> Path: ...

    def matrix(self) -> Matrix: ...

    def part(self, kind: str, wanted: type[T], read: Callable[[Cache], T]) -> T:
        """A part that is not cached yet is what `read` makes of the files."""

    def codes(self, cache: Cache, loaders: Sequence[str]) -> dict[str, Code]: ...

    def texts(self, paths: Iterable[str]) -> dict[str, str]: ...


@dataclass(frozen=True, slots=True)
class _WorkTree:
    """The files of a person, which change: what reads them has caches of its own."""

    cache: Cache
    directory: Path

    @property
    def root(self) -> Path:
        return self.cache.checkout.root

    def matrix(self) -> Matrix:
        found, reading = self.cache.index()
        if reading is not None:
            self.cache.save(reading)
        return found

    def part(self, kind: str, wanted: type[T], read: Callable[[Cache], T]) -> T:
        return read(self.cache)

    def codes(self, cache: Cache, loaders: Sequence[str]) -> dict[str, Code]:
        return _codes(self.directory / "code", lambda known: LoaderFiles(cache.checkout.models, known), loaders)

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for path in paths:
            with suppress(OSError):
                found[path] = read_loosely(self.cache.checkout.root / path)
        return found


class _Texts(NamedTuple):
    """What the files of a layout said when they were last read, with their blobs."""

    modules: Mapping[str, tuple[str, ModuleFacts | Unreadable]]
    files: Mapping[str, tuple[str, ExpectationFile]]


@dataclass(frozen=True)
class _Commit:
    """A tree of git. All states of a checkout share one directory for files, and so what is known of equal files."""

    tree: Tree
    directory: Path
    shared: Path
    """Where the work tree keeps what states have in common."""

    @property
    def root(self) -> Path:
        return self.tree.checkout.root

    def matrix(self) -> Matrix:
        # A home that was moved has cached the path of its former place.
        return replace(self.part("matrix", Matrix, self._index), checkout=Checkout(self._layout.root))

    def part(self, kind: str, wanted: type[T], read: Callable[[Cache], T]) -> T:
        own = self.directory / self.tree.key
        known = load(own / kind)
        if isinstance(known, wanted):
            _touch(own)
            return known
        with locked(self.directory / "lock", f"reading {self.tree.name}", wait=_PATIENCE_SECONDS):
            checkout = self._layout.become(self.tree)
            with undisturbed(checkout.root):
                found = read(Cache(checkout, self._layout.place / "index", self.shared))
        store(own / kind, found)
        _forget_oldest(self.directory)
        return found

    @property
    def _layout(self) -> Layout:
        return Layout(self.directory / _FILES)

    def _blobs(self, place: Path) -> dict[str, str]:
        """The blobs of the files below a place in the layout, by their paths from there."""
        below = f"{place.relative_to(self._layout.root).as_posix()}/"
        return {path[len(below) :]: blob.hash for path, blob in self.tree.files.items() if path.startswith(below)}

    def _index(self, cache: Cache) -> Matrix:
        """The matrix; a file with the blob that it had in the state before is not parsed again."""
        models, config = (self._blobs(place) for place in (cache.checkout.models, cache.checkout.test_config))
        kept = self._layout.place / "texts"
        known = load(kept)
        texts = known if isinstance(known, _Texts) else _Texts({}, {})
        reading = read_and_join(
            cache.checkout,
            modules=_unchanged(texts.modules, cache.checkout.models, models),
            files=_unchanged(texts.files, cache.checkout.test_config, config),
        )
        modules = {path: (models[path], facts) for path, facts in reading.modules.items() if path in models}
        files = {one.name: (config[one.name], one) for one in reading.matrix.files if one.name in config}
        store(kept, _Texts(modules, files))
        return reading.matrix

    def codes(self, cache: Cache, loaders: Sequence[str]) -> dict[str, Code]:
        models = cache.checkout.models
        blobs = self._blobs(models)
        return _codes(self._layout.place / "code", lambda known: LoaderFiles(models, known, blobs), loaders)

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        wanted = {path: self.tree.files[path] for path in paths if path in self.tree.files}
        found: dict[str, str] = {}
        for path, content in self.tree.contents(wanted):
            found[path] = content.decode("utf-8", "replace") if isinstance(content, bytes) else ""
        return found


def _unchanged(
    known: Mapping[str, tuple[str, T]], place: Path, blobs: Mapping[str, str]
) -> dict[str, tuple[tuple[int, int, int, int] | None, T]]:
    """What is known of the files at `place` that still have the same blob, with their stamps."""
    return {
        path: (stamp_of(f"{place}{os.sep}{path}"), value)
        for path, (blob, value) in known.items()
        if blobs.get(path) == blob
    }


def _codes(kept: Path, reader: Callable[[KnownFiles | None], LoaderFiles], loaders: Sequence[str]) -> dict[str, Code]:
    """The code of loaders; `kept` is where what was read of each file is stored."""
    known = load(kept)
    files = reader(known if isinstance(known, dict) else None)
    found = files.codes(loaders)
    if files.files != known:
        store(kept, files.files)
    return found


def _others(cache: Cache, matrix: Matrix) -> Others:
    whole = with_placeholder_rows(handwritten.with_handwritten(cache, matrix))
    jobs = providers.other_jobs(cache, whole)
    groups = (whole.of_kind(HANDWRITTEN_KIND), whole.of_kind(PLACEHOLDER_KIND))
    return Others(*({id: jobs.get(id, ()) for id in rows.ids} if rows else {} for rows in groups))


def _planned(cache: Cache, infos: ModelInfos, others: Others) -> dict[Job, tuple[tuple[str, int | None], ...]]:
    # Selection and splitting in CI apply to everything that pytest collects.
    matrix, _ = cache.index(Universe.COLLECTED)
    found = providers.selections(cache, matrix, infos)
    tests: dict[Job, dict[tuple[str, int | None], None]] = {job: {} for job in found.jobs}
    for id, selections in found.by_id.items():
        for one in selections:
            tests[one.job][id, one.group] = None
    by_name: dict[tuple[str, str], list[Job]] = {}
    for job, triggers in scheduled(found.jobs).items():
        by_name.setdefault((query_name(job, triggers), job.runs_on), []).append(job)
    for id, machines in others.handwritten.items():
        for job in (job for machine in machines for job in by_name.get(machine, ())):
            tests[job][id, 1 if job.parallel_groups == 1 else None] = None
    return {job: tuple(some) for job, some in tests.items()}


def _touch(directory: Path) -> None:
    """Note that a cached state is of use."""
    with suppress(OSError):
        os.utime(directory)


def _forget_oldest(directory: Path) -> None:
    """Keep the cached states that were used last."""
    with suppress(OSError):
        known = [one for one in directory.iterdir() if one.is_dir() and one.name != _FILES]
        for one in sorted(known, key=lambda one: one.stat().st_mtime)[:-_MOST_STATES]:
            shutil.rmtree(one, ignore_errors=True)


def changed_paths(before: State, after: State) -> list[str]:
    """The files of the checkout that differ, as git tells them; of the models only their directory.

    Raises TTMatrixError if git fails.
    """
    one, other = before.tree, after.tree
    if isinstance(one, EditedTree) or isinstance(other, EditedTree):
        assert one is not None and other is not None, "an edited tree is compared with one of git"
        return sorted(path for path in {*one.files, *other.files} if one.files.get(path) != other.files.get(path))
    ends = [(tree.commit or INDEX) if tree else WORK_TREE for tree in (one, other)]
    return paths_between(Git(before.root), *ends)


def code_diff(before: State, after: State, paths: Iterable[str]) -> list[str]:
    """A unified diff of files, given by their paths relative to the checkout. Raises TTMatrixError if git fails."""
    wanted = list(dict.fromkeys(paths))
    old, new = before.texts(wanted), after.texts(wanted)
    return [line for path in wanted for line in _diff(path, old.get(path), new.get(path))]


def _diff(path: str, old: str | None, new: str | None) -> Iterator[str]:
    before, after = (f"a/{path}" if old is not None else _NO_FILE, f"b/{path}" if new is not None else _NO_FILE)
    return iter(unified_diff((old or "").splitlines(), (new or "").splitlines(), before, after, lineterm=""))
