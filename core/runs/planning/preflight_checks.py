# SPDX-License-Identifier: Apache-2.0
"""Obstacles to runs before they start, each with its remedy."""

import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from core import __version__, hosts
from core.base.errors import TTMatrixError
from core.base.files import plain, read_text
from core.base.processes import boot_id, own_identity, this_host
from core.base.settings import Settings, paths
from core.base.text import counted
from core.domain.model import Function
from core.payload.ttmatrix_payload.models.compile_options import TRACE_ADVICE, TRACE_REGION, ignored, read_words
from core.runs.environment import digest
from core.runs.leases import Lease, device_leases
from core.runs.planning.boards import boards_of_machine, lacking, needs_text, wanted, way_round
from core.runs.planning.downloads import Sources
from core.runs.planning.interpreter import Source, Versions, forking_fault, installed
from core.runs.planning.kinds import (
    BUILT_IN_PLUGIN,
    DEVICE_NODES,
    EXPORT_KIND,
    EXPORT_PATH,
    EXPORT_TENSORS,
    FORKED,
    KINDS,
    OP_RUNS,
    RunKind,
    kind_for,
    op_kind,
    wants_device,
)
from core.runs.planning.pytest_command import OUTPUT_PLUGIN
from core.runs.spec import DUMPING, RunSpec, dumps_nothing
from core.sources import Checkout, Git, recorded_again

PLUGIN = "pjrt_plugin_tt"
_WHEEL = "pjrt-plugin-tt"
_LIBRARIES = "python_package/requirements.txt"
"""The file of a checkout with the torch and torch-xla that the plugin was built for."""
_TOOLS = "venv/requirements-dev.txt"
_OF_LIBRARIES = frozenset({"torch", "torch_xla", "jax"})
_INDEX = re.compile(r"^torch[-_]xla\s*@\s*(https://[\w.:-]+/)", re.MULTILINE)
_DISTRIBUTIONS = {"torch_xla": "torch-xla", "pytest_forked": "pytest-forked", "ruamel": "ruamel.yaml", "yaml": "pyyaml"}
_OTHERWISE = "or name another interpreter with the setting `python`"


def install_remedy(packages: Sequence[str], python: str, root: Path) -> str:
    """The commands that install `packages`, given by import name, for `python`; `root` is that of the checkout."""
    commands: dict[str, None] = {}
    for name in packages:
        commands[_command(name, root)] = None
    pip = f"{shlex.quote(python)} -m pip install"
    return f"{'; '.join(f'{pip} {one}' for one in commands)}; {_OTHERWISE}"


def _command(name: str, root: Path) -> str:
    if name == PLUGIN:
        index = _INDEX.search(_text(root / _LIBRARIES))
        return f"{_WHEEL} --extra-index-url {index[1]}" if index else f"{_WHEEL} (the wheel of tt-xla's release)"
    file = root / (_LIBRARIES if name in _OF_LIBRARIES else _TOOLS)
    first = name.partition(" or ")[0]
    return f"-r {shlex.quote(str(file))}" if file.is_file() else _DISTRIBUTIONS.get(first, first)


def _text(file: Path) -> str:
    try:
        return read_text(file)
    except TTMatrixError:
        return ""


VERSION = 1

T = TypeVar("T")

_BACKEND = "--backend="
_OF_EXPORTS = (EXPORT_PATH, EXPORT_TENSORS)


@dataclass(frozen=True, slots=True)
class Survey:
    """The facts that are recorded beside every run."""

    checkout: str | None
    """The commit of the work tree; None if git does not know it."""
    changed: bool
    """Whether tracked files differ from that commit."""
    models: str | None
    """The commit of the models submodule; None if it is not a repository of its own."""
    models_pinned: str | None
    """The commit of the submodule that the checkout pins."""
    interpreter: str
    versions: Versions | None
    """None: the query failed, or was not made."""
    environment: str
    """The digest of the environment."""
    host: str
    boot: str
    ttmatrix: str = __version__
    source: Source = Source.ASKED
    """The origin of the versions."""

    def to_json(self) -> str:
        """The content of a run's `provenance.json`."""
        return json.dumps({"version": VERSION, **plain(self)}, indent=2) + "\n"


def survey(
    checkout: Checkout, python: Path, environ: Mapping[str, str], *, starting: bool = False, afresh: bool = False
) -> Survey:
    """Examine the checkout and the packages of its interpreter.

    `starting` and `afresh` are for `core.runs.planning.interpreter.installed`: without `starting`, no code of the
    checkout is executed.
    """
    found = installed(python, checkout.root, environ, starting=starting, afresh=afresh)
    git, models = Git(checkout.root), Git(checkout.models)
    own = bool(_or_none(models.own_root))
    return Survey(
        checkout=_or_none(git.head_commit),
        changed=bool(_or_none(git.changed) or (own and _or_none(models.changed))),
        # Inside another repository's work tree, git would answer for that one.
        models=_or_none(models.head_commit) if own else None,
        models_pinned=_or_none(lambda: git.pinned(checkout.relative(checkout.models))) or None,
        interpreter=str(python),
        versions=found.versions,
        source=found.source,
        environment=digest(environ),
        host=this_host(),
        boot=boot_id(),
    )


def _or_none(ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except TTMatrixError:
        return None


_TORCH_XLA = "torch_xla"
_PLUGINS = {PLUGIN: f"{PLUGIN} (Tenstorrent's plugin)"}
"""Packages whose names not every reader knows."""
_LEAST_FREE = 200 * 2**20
_LITTLE_FREE = 5 * 2**30
_CACHE_VARIABLE = "IRD_LF_CACHE"


class Level(StrEnum):
    """The severity of an obstacle."""

    BLOCKER = "blocker"
    """No run can succeed."""
    WARNING = "warning"
    NOTE = "note"
    """No obstacle, but useful to know."""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """One obstacle to runs."""

    level: Level
    what: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The checkout, settings and environment to examine."""

    checkout: Checkout
    survey: Survey
    environ: Mapping[str, str]
    runs: Path
    """The directory for the files of runs."""
    nodes: Path = DEVICE_NODES


def preflight(kind: RunKind, specs: Sequence[RunSpec], around: Surroundings) -> list[Obstacle]:
    """All obstacles to `specs`, which are of this kind; the worst first."""
    checks = [_packages(kind, specs, around), _checkout(kind, around), _disk(around)]
    if kind.needs_device:
        checks.append(_device(specs, around))
    found = [obstacle for check in checks for obstacle in check]
    return sorted(found, key=lambda obstacle: obstacle.level is not Level.BLOCKER)


def of_sources(sources: Sources) -> list[Obstacle]:
    """Notes about the caches and servers that runs download from."""
    missing = [Obstacle(Level.WARNING, what, remedy) for what, remedy in sources.missing]
    return missing + [Obstacle(Level.NOTE, what, remedy) for what, remedy in sources.notes]


def obstacles(
    specs: Sequence[RunSpec], seen: Survey, settings: Settings, environ: Mapping[str, str], runs: Path
) -> Sequence[Obstacle]:
    """All obstacles to runs of any kinds that share a checkout and an interpreter."""
    around = Surroundings(Checkout(specs[0].cwd), seen, environ, runs)
    # `hosts check` reports what another machine lacks.
    specs = [spec for spec in specs if not spec.needs]
    if not specs:
        return list(_disk(around))
    kinds = sorted({spec.kind for spec in specs} & KINDS.keys())
    found: dict[Obstacle, None] = {}
    for backend in sorted({spec.arch or "" for spec in specs if spec.kind == OP_RUNS}):
        batches = [spec for spec in specs if spec.kind == OP_RUNS and spec.arch == backend]
        found |= dict.fromkeys(preflight(op_kind(backend), batches, around))
    by_hand = [spec for spec in specs if spec.function.beside_models]
    for kind in sorted({spec.kind for spec in by_hand}):
        # They are files of their own, run by the checkout's pytest.
        how = replace(KINDS[kind], files=(), instead=None)
        found |= dict.fromkeys(preflight(how, [spec for spec in by_hand if spec.kind == kind], around))
    for kind in kinds:
        of_kind = [spec for spec in specs if spec.kind == kind and not spec.function.beside_models]
        for backend in sorted({_backend(spec, settings) for spec in of_kind}):
            how = kind_for(kind, around.checkout, replace(settings, backend=backend))
            ours = [spec for spec in of_kind if _backend(spec, settings) == backend]
            found |= dict.fromkeys([*preflight(how, ours, around), *_options(ours, around, backend)])
    lease = hosts.HostsFile(paths().hosts_file).lease()
    found |= dict.fromkeys(lease_obstacles(specs, lease, datetime.now(UTC)))
    return list(found)


def lease_obstacles(specs: Sequence[RunSpec], lease: "hosts.Lease | None", now: datetime) -> list[Obstacle]:
    """Notes about runs that will not have ended before the lease of this machine does."""
    if lease is None or all(lease.fits(spec.estimate, now) for spec in specs):
        return []
    late = sum(not lease.fits(spec.estimate, now) for spec in specs)
    left = lease.left(now)
    ends = f"ends in {hosts.time_text(left)}" if left else "has ended"
    what = f"The lease of {lease.host} {ends}: {counted(late, 'run')} will wait until it is extended"
    return [Obstacle(Level.WARNING, what, f"Extend it, then: ttmatrix hosts add {lease.host} --expires 4h")]


def refuse(obstacles: Sequence[Obstacle]) -> None:
    """Raise TTMatrixError if one of them is a blocker."""
    blockers = [obstacle for obstacle in obstacles if obstacle.level is Level.BLOCKER]
    if blockers:
        detail = "\n".join(obstacle.what for obstacle in blockers)
        raise TTMatrixError("These runs cannot start here", detail, "\n".join(obstacle.remedy for obstacle in blockers))


def _forks(specs: Sequence[RunSpec], versions: Versions, python: str) -> Iterator[Obstacle]:
    forking = [one for one in specs if FORKED in one.argv and BUILT_IN_PLUGIN not in one.argv]
    if not forking or not (fault := forking_fault(versions)):
        return
    remedy = f"{python} -m pip install 'pytest<9.2'"
    if all(OUTPUT_PLUGIN in one.argv for one in forking):
        # The plugin then ignores the option.
        yield Obstacle(Level.WARNING, f"{fault}. They run without {FORKED}, and a crash leaves no report", remedy)
    else:
        yield Obstacle(Level.BLOCKER, fault, f"{remedy}, or leave out {FORKED}")


def _packages(kind: RunKind, specs: Sequence[RunSpec], around: Surroundings) -> Iterator[Obstacle]:
    versions, python = around.survey.versions, around.survey.interpreter
    if around.survey.source is Source.NOT_ASKED:
        what = f"The packages of {python} are not known yet"
        yield Obstacle(Level.WARNING, what, "A plan executes nothing of the checkout; the first run asks once")
        return
    if versions is None:
        what = f"{python} did not list its packages"
        yield Obstacle(Level.WARNING, what, f"Try: {python} -c 'import {kind.packages[0]}'")
        return
    missing = [name for name in _wanted(kind, specs) if versions.get(name) is None]
    if kind.either and all(versions.get(name) is None for name in kind.either):
        missing.append(" or ".join(kind.either))
    yield from _forks(specs, versions, python)
    if missing:
        names = ", ".join(_PLUGINS.get(name, name) for name in missing)
        remedy = install_remedy(missing, python, around.checkout.root)
        yield Obstacle(Level.BLOCKER, f"{python} cannot import {names}", remedy)


def _wanted(kind: RunKind, specs: Sequence[RunSpec]) -> list[str]:
    """The packages that `specs` need: JAX models need torch-xla only in tt-xla's own runner, which imports it."""
    with_jax = {spec.function == Function.JAX for spec in specs}
    own = [name for name in kind.packages if name != _TORCH_XLA or kind.files or with_jax != {True}]
    return [*own, "jax"] if True in with_jax else own


def _checkout(kind: RunKind, around: Surroundings) -> Iterator[Obstacle]:
    root, survey = around.checkout.root, around.survey
    for name in kind.files:
        if not (root / name).is_file():
            remedy = "Use a checkout that has it, or another --kind"
            yield Obstacle(Level.BLOCKER, f"{root} has no {name}: there is no runner", remedy)
    if survey.models_pinned and survey.models and survey.models != survey.models_pinned:
        what = f"The models are at {survey.models[:10]}, but the checkout asks for {survey.models_pinned[:10]}"
        yield Obstacle(Level.WARNING, what, recorded_again(around.checkout, survey.models_pinned))


def _backend(spec: RunSpec, settings: Settings) -> str:
    """The backend with which the built-in runner compiles a run; its profile may set it."""
    words = (word.removeprefix(_BACKEND) for word in spec.argv if word.startswith(_BACKEND))
    return next(words, settings.backend)


def _options(specs: Sequence[RunSpec], around: Surroundings, backend: str) -> Iterator[Obstacle]:
    """Compile options without effect: only Tenstorrent's plugin knows all of them."""
    versions = around.survey.versions or {}
    if backend == "auto" and not around.nodes.is_dir():
        backend = "xla" if versions.get(_TORCH_XLA) else "inductor"
    for profile, argv in sorted({(spec.profile, spec.argv) for spec in specs if spec.kind == EXPORT_KIND}):
        asked = read_words(argv)
        if names := [one for one in (*asked.values, *asked.torch, *asked.weights) if one not in _OF_EXPORTS]:
            what = f"Profile {profile}: --kind {EXPORT_KIND} ignores {', '.join(names)}"
            yield Obstacle(Level.WARNING, what, "Graphs and StableHLO are those before any compiler")
    for profile, argv in sorted({(spec.profile, spec.argv) for spec in specs if BUILT_IN_PLUGIN in spec.argv}):
        if names := ignored(read_words(argv), "tt" if backend == "auto" else backend):
            what = f"Profile {profile}: the backend {backend} ignores {', '.join(names)}"
            yield Obstacle(Level.WARNING, what, 'Options without effect need Tenstorrent\'s plugin: backend = "tt"')
    for profile in sorted({spec.profile for spec in specs if dumps_nothing(spec)}):
        what = f"Profile {profile}: dump has no effect on the backend eager, which compiles nothing"
        yield Obstacle(Level.WARNING, what, DUMPING)
    for profile in sorted({spec.profile for spec in specs if _traces_without_region(spec, around.environ)}):
        what = f"Profile {profile}: enable_trace is set, and {TRACE_REGION} is not: the trace has no memory"
        yield Obstacle(Level.WARNING, what, TRACE_ADVICE)


def _traces_without_region(spec: RunSpec, environ: Mapping[str, str]) -> bool:
    """Whether a run on a device records traces and has no memory for them: compiler and runtime say so late."""
    traced = spec.kind == "device" and read_words(spec.argv).flag("enable_trace", False)
    return traced and wants_device(spec) and TRACE_REGION not in spec.env and TRACE_REGION not in environ


def _disk(around: Surroundings) -> Iterator[Obstacle]:
    place = next(one for one in (around.runs, *around.runs.parents) if one.exists())
    free = shutil.disk_usage(place).free
    if free < _LITTLE_FREE:
        level = Level.BLOCKER if free < _LEAST_FREE else Level.WARNING
        yield Obstacle(level, f"{free / 2**20:,.0f} MiB are free at {place}", "Remove runs: ttmatrix prune")


def _device(specs: Sequence[RunSpec], around: Surroundings) -> Iterator[Obstacle]:
    boards = boards_of_machine(around.environ, around.nodes)
    if not boards.types and not (around.nodes.is_dir() and any(around.nodes.iterdir())):
        remedy = "Run on a machine with a device and its driver; a simulator needs none"
        asked = {archs: needs_text(archs, some) for archs, some in _by_archs(specs).items()}
        what = "; ".join([f"There is no device at {around.nodes}", *asked.values()])
        yield Obstacle(Level.WARNING, what, remedy)
    for archs, some in lacking(specs, boards).items():
        what = f"{needs_text(archs, some)}; this machine has {boards.text}"
        yield Obstacle(Level.BLOCKER, what, way_round(archs, some, boards))
    if boards.types:
        named = f"--arch {boards.arch} is the default" if boards.arch else "--arch names what the tests are for"
        yield Obstacle(Level.NOTE, f"This machine has {boards.text}", named)
    if not around.environ.get(_CACHE_VARIABLE):
        remedy = f"export {_CACHE_VARIABLE}=... as on the machines of CI"
        yield Obstacle(Level.WARNING, f"{_CACHE_VARIABLE} is not set: weights in its cache are not found", remedy)
    yield from _leases(specs)


def _by_archs(specs: Sequence[RunSpec]) -> dict[tuple[str, ...], list[RunSpec]]:
    """The runs of tests that are for certain archs, by these."""
    found: dict[tuple[str, ...], list[RunSpec]] = {}
    for spec in specs:
        for archs in wanted(spec):
            found.setdefault(archs, []).append(spec)
    return found


def _leases(specs: Sequence[RunSpec]) -> Iterator[Obstacle]:
    try:
        held = device_leases().held()
    except TTMatrixError as error:
        yield Obstacle(Level.BLOCKER, f"{error.title}: {error.detail}", error.hint)
        return
    for lease in held:
        if lease.owner != own_identity() and any(spec.devices and _wants(spec, lease) for spec in specs):
            whose = f" of {lease.user}" if lease.user else ""
            what = f"Process {lease.owner.pid}{whose} has {_held(lease)}"
            yield Obstacle(Level.WARNING, what, "The runs wait for it; ttmatrix runs --active shows ours")


def _held(lease: Lease) -> str:
    places = sorted(name for name in lease.names if name.startswith("/"))
    devices = sorted(lease.names - {*places})
    return ", ".join([*([f"the devices {', '.join(devices)}"] if devices else []), *places])


def _wants(spec: RunSpec, lease: Lease) -> bool:
    return lease.against(frozenset((*spec.devices, *spec.claims)))
