# SPDX-License-Identifier: Apache-2.0
"""Plan runs: from test ids and settings to exact commands, estimated durations and obstacles. Starts nothing."""

import math
import os
import shlex
import statistics
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path, PurePath

from core.base.errors import TTMatrixError, UsageError
from core.base.settings import DEFAULT_PROFILE, Profile, Settings, paths
from core.domain.ids import TestId
from core.domain.model import TEST_MODULE, node_id
from core.hosts import read_hosts
from core.matrix import NO_ARCH, Matrix, resolve, supported_archs
from core.runs import planning
from core.runs.cluster import Cluster
from core.runs.environment import environment_of
from core.runs.outcome import HARMLESS, Outcome
from core.runs.planning.activate import NO_ACTIVATION, activation
from core.runs.planning.boards import own_arch
from core.runs.planning.downloads import (
    Download,
    Sources,
    asked_packages,
    fetched,
    listed,
    requirement_places,
)
from core.runs.planning.interpreter import Source, find_interpreter, is_cached, is_of
from core.runs.planning.kinds import (
    FORKED,
    KINDS,
    NO_EXPORT,
    Export,
    Request,
    RunKind,
    check_export,
    default_manifest,
    kind_for,
)
from core.runs.planning.machines import place_obstacles, supported_of, with_needs
from core.runs.planning.op_batches import with_op_estimates
from core.runs.planning.preflight_checks import Level, Obstacle, Survey, obstacles, of_sources, survey
from core.runs.planning.profiles import compile_options, default_kind, find_profile
from core.runs.planning.pytest_command import pytest_environment
from core.runs.planning.time_limit import fitting
from core.runs.planning.weight_files import fetched_elsewhere, with_weights
from core.runs.spec import (
    RUN_VARIABLE,
    STAGE_FILE,
    RunSpec,
    entry_digest,
    is_debugger,
    new_token,
    renamed,
    run_id,
    shell_command,
)
from core.runs.store import SESSION, RunRecord
from core.sources import Checkout, same_place
from core.sources.ci import read_durations

_ARTEFACTS = "{artefacts}"
_GIB = 2**30
_TELLING = HARMLESS | {Outcome.FAIL}
_NEWEST = 5
_START_UP = 40.0
"""Seconds that upstream's runner takes to import all loaders, where no run has shown how long it takes here."""
_MOST_REPEATS = 1_000
"""More runs of one test at once are a slip of the finger, and planning them would take minutes."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a launch."""

    kind: str = ""
    """Empty: `default_kind` of the profiles."""
    arch: str = NO_ARCH
    profile: str = ""
    others: tuple[str, ...] = ()
    """Further profiles to compare: each test runs under each of them, too."""
    repeat: int = 1
    """How many runs each test gets."""
    timeout: float | None = None
    """Seconds; None: as in profile and settings."""
    stop_on_failure: bool = False
    manifest: Path | None = None
    """The manifest for extracted ops; None: `default_manifest`."""
    export: Export = NO_EXPORT
    """Directory and content of exported files."""
    host: str = ""
    """The host in the hosts file that they run on; empty: any with their arch."""
    archs: tuple[str, ...] = ()
    """If given, each device run becomes one on each of these archs that the entry supports, in place of `arch`."""
    hours: float | None = None
    """Only the first tests that run in so long, one after the other, by their estimates."""


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """Everything that a launch would do."""

    specs: Sequence[RunSpec]
    refused: Sequence[TTMatrixError]
    """For each test that cannot be run this way, the reason."""
    survey: Survey | None
    """None if there is nothing to run."""
    obstacles: Sequence[Obstacle]
    downloads: Sequence[Download] = ()
    """What the runs will download before they begin."""

    @property
    def provenance(self) -> str:
        """The text of the file that is written beside each spec."""
        return self.survey.to_json() if self.survey else ""

    @property
    def asked(self) -> str:
        """What was executed to list the installed packages, for a message; empty: nothing."""
        if self.survey is None or self.survey.source is not Source.ASKED:
            return ""
        source = f"asked {self.survey.interpreter} for its packages"
        cached = self.survey.versions is not None and is_cached(Path(self.survey.interpreter))
        return f"{source}; the answer is cached until they change" if cached else source


def plan_launch(
    matrix: Matrix,
    ids: Iterable[str],
    settings: Settings,
    options: Options,
    *,
    runs: Path,
    records: Iterable[RunRecord] = (),
    environ: Mapping[str, str] = os.environ,
) -> LaunchPlan:
    """`plan_tests`, with the obstacles to the runs.

    Executes no code of the checkout, but calls git: not for the UI thread. Raises TTMatrixError if the interpreter is
    missing.
    """
    specs, refused = plan_tests(matrix, ids, settings, options, runs=runs, records=records)
    return look_ahead(specs, settings, refused, runs=runs, environ=environ)


def look_ahead(
    specs: Sequence[RunSpec],
    settings: Settings,
    refused: Sequence[TTMatrixError] = (),
    *,
    runs: Path,
    environ: Mapping[str, str] = os.environ,
    starting: bool = False,
) -> LaunchPlan:
    """As `plan_launch`, for runs that are planned already and share checkout and interpreter.

    `starting`: they are about to start, so the checkout's interpreter may be executed to list its packages. The list is
    cached; before a cached one blocks a run, it is made again.
    """
    if not specs:
        return LaunchPlan((), refused, None, ())
    checkout, python = Checkout(specs[0].cwd), Path(specs[0].argv[0])
    seen = survey(checkout, python, environ, starting=starting)
    sources = _sources_of(specs, environ, starting=starting)
    found = [*obstacles(specs, seen, settings, environ, runs), *_of_hosts(specs)]
    if starting and seen.source is Source.REMEMBERED and any(one.level is Level.BLOCKER for one in found):
        seen = survey(checkout, python, environ, starting=True, afresh=True)
        found = [*obstacles(specs, seen, settings, environ, runs), *_of_hosts(specs)]
    found += [*of_sources(sources), *fetched_elsewhere(specs)]
    return LaunchPlan(specs, refused, seen, found, sources.downloads)


def _sources_of(specs: Sequence[RunSpec], environ: Mapping[str, str], *, starting: bool) -> Sources:
    """The downloads of runs that share a checkout and an interpreter; for other machines see `fetched_elsewhere`."""
    here = [spec for spec in specs if not spec.needs and not spec.cases]
    if not here:
        return Sources((), (), ())
    tests = [spec.test_id for spec in here]
    return sources_of(Checkout(here[0].cwd), Path(here[0].argv[0]), tests, environ, starting=starting)


def sources_of(
    checkout: Checkout, python: Path, tests: Iterable[str], environ: Mapping[str, str] = os.environ, *, starting: bool
) -> Sources:
    """The downloads of tests that `python` runs here.

    `python` lists its packages, unless that would execute code of the checkout before runs start; pip then lists the
    missing files. The hub and the package index are asked for sizes. Not for the UI thread.
    """
    tests = list(dict.fromkeys(tests))
    places = requirement_places(checkout, tests)
    may_start = starting or not is_of(checkout.root, python, environ)
    told = planning.lacking(python, places, checkout.root) if may_start else None
    packages = planning.downloads_of_packages(python, told, checkout.root) if told else []
    found = with_weights(fetched(checkout, tests, environ, packages), checkout, tests, python, environ)
    if told is None and places:
        names = listed(dict.fromkeys(name for place in places for name in asked_packages(place)))
        unknown = (f"Packages are asked for: {names}", "Those that are not installed are downloaded, once you agree")
        found = replace(found, notes=[unknown, *found.notes])
    return replace(found, downloads=planning.with_sizes(found.downloads, environ, files=starting))


def _of_hosts(specs: Sequence[RunSpec]) -> list[Obstacle]:
    if not any(spec.needs for spec in specs):
        return []
    return place_obstacles(specs, read_hosts(paths().hosts_file), Cluster().status())


def plan_tests(
    matrix: Matrix,
    ids: Iterable[str],
    settings: Settings,
    options: Options,
    *,
    runs: Path,
    records: Iterable[RunRecord] = (),
) -> tuple[list[RunSpec], list[TTMatrixError]]:
    """Runs of `ids` as one batch, and the reason for each test that cannot be run this way.

    Their files go below `runs`; `records` are earlier runs, newest first, for the estimates. Raises UsageError as
    `check_repeat`.
    """
    check_repeat(options.repeat)
    specs: list[RunSpec] = []
    refused: list[TTMatrixError] = []
    own = "" if options.arch or options.archs or options.host else own_arch(matrix.schema.archs)
    for id in ids:
        try:
            names = (options.profile, *options.others)
            kind = options.kind or default_kind(matrix.checkout, settings, names)
            check_export(options.export, kind, options.repeat * len(names))
            arch = options.arch or (own if KINDS[kind].needs_device else NO_ARCH)
            each = [replace(options, kind=kind, profile=name, arch=arch) for name in names]
            if options.archs and kind == "device":
                archs = supported_of(options.archs, matrix, id)
                each = [replace(one, arch=arch) for arch in archs for one in each]
            specs += [_planned(matrix, id, settings, one, runs) for _ in range(options.repeat) for one in each]
        except TTMatrixError as error:
            refused.append(error)
    # With the arch of this machine as the default, they stay here.
    specs = specs if own else with_needs(specs, read_hosts(paths().hosts_file), options.host)
    durations, _ = read_durations(matrix.checkout)
    specs = with_estimates(specs, records, durations)
    if options.hours is not None:
        specs, left = fitting(specs, options.hours)
        refused += left
    return as_batch(specs, stop_on_failure=options.stop_on_failure), refused


def check_repeat(number: int) -> None:
    """Raise UsageError unless a test can be repeated so often in one batch."""
    if not 1 <= number <= _MOST_REPEATS:
        raise UsageError(f"A test is run 1 to {_MOST_REPEATS:,} times in one batch, not {number:,}")


def _planned(matrix: Matrix, id: str, settings: Settings, options: Options, runs: Path) -> RunSpec:
    return plan_test(
        matrix,
        id,
        settings,
        runs=runs,
        kind=options.kind,
        arch=options.arch,
        timeout=options.timeout,
        profile=options.profile,
        manifest=options.manifest,
        export=options.export,
    )


def plan_test(
    matrix: Matrix,
    test_id: str,
    settings: Settings,
    *,
    runs: Path,
    kind: str = "cpu",
    arch: str = NO_ARCH,
    timeout: float | None = None,
    profile: str = "",
    manifest: Path | None = None,
    export: Export = NO_EXPORT,
) -> RunSpec:
    """Plan a run of a test of `matrix` now, with the batch size of its entry. Raises as `plan_run` does."""
    entry = matrix.entries.get(test_id)
    batch_size = resolve(entry, "batch_size", arch or None).value
    spec = plan_run(
        matrix.checkout,
        test_id,
        settings,
        kind=kind,
        runs=runs,
        now=datetime.now(UTC),
        token=new_token(),
        arch=arch or None,
        timeout=timeout,
        batch_size=batch_size if isinstance(batch_size, int) else None,
        profile=profile,
        manifest=manifest,
        export=export,
    )
    boards = supported_archs(entry) if KINDS[kind].needs_device else ()
    return replace(spec, entry=entry_digest(entry), boards=boards)


def plan_run(
    checkout: Checkout,
    test_id: str,
    settings: Settings,
    *,
    kind: str,
    runs: Path,
    now: datetime,
    token: str,
    arch: str | None = None,
    timeout: float | None = None,
    batch_size: int | None = None,
    profile: str = "",
    manifest: Path | None = None,
    export: Export = NO_EXPORT,
) -> RunSpec:
    """A run of `test_id` by a kind of `core.runs.planning.kinds`, whose files go below `runs`.

    `token` is at least 16 random hex digits. `timeout` is in seconds and defaults to the profile's, then to the
    settings'. `batch_size` is that of the entry's YAML, if any; an LLM id has its own. `manifest` replaces
    `default_manifest` for extracted ops. Raises UsageError if the kind cannot run the id, the profile does not exist,
    or `export` names a directory with files; TTMatrixError if the interpreter is missing.
    """
    parsed = _parsed(test_id)
    if not (checkout.models / parsed.directory / "loader.py").is_file():
        raise UsageError(f"No loader for {test_id}", f"{checkout.models / parsed.directory} has no loader.py.")
    profile = "" if profile == DEFAULT_PROFILE else profile
    chosen = find_profile(checkout, settings, profile)
    if chosen.backend:
        settings = replace(settings, backend=chosen.backend)
    how = kind_for(kind, checkout, settings)
    if chosen.compiles and not how.compiles:
        what = f"Profile {profile!r} has compile options, which --kind {kind} does not take: it compiles nothing"
        raise UsageError(what, hint="Use --kind device.")
    name = run_id(now, token)
    python = find_interpreter(checkout.root, settings)
    limit, place = _limit(how, settings, chosen, timeout), default_manifest(parsed, settings.ops_dirs)
    request = Request(
        checkout,
        parsed,
        python,
        token,
        runs.absolute() / name,
        arch,
        batch_size if chosen.batch_size is None else chosen.batch_size,
        settings.backend,
        limit,
        manifest or (checkout.root / place if place else None),
        compile_options(chosen, checkout, profile, runs.absolute() / name),
        chosen.dump,
        export,
    )
    artefacts = str(request.artefacts)
    environment = {key: value.replace(_ARTEFACTS, artefacts) for key, value in chosen.environment.items()}
    # A copy of the person's environment for each of thousands of runs would take most of the time.
    merged = ChainMap(environment, os.environ)
    active = activation(checkout.root, python) if how.needs_device else NO_ACTIVATION
    argv = (*how.command(request), *(word.replace(_ARTEFACTS, artefacts) for word in chosen.arguments))
    own = pytest_environment(argv, request.artefacts, merged, environment.get("PYTHONPATH", ""))
    spec = RunSpec(
        run_id=name,
        test_id=test_id,
        function=parsed.function,
        kind=kind,
        arch=arch,
        argv=argv,
        prefix=tuple(word.replace(_ARTEFACTS, artefacts) for word in chosen.prefix),
        # The rest of the environment is the user's own and is not changed.
        env={"PYTHONUNBUFFERED": "1", RUN_VARIABLE: name, **active.env, **how.environment, **environment, **own},
        paths=active.paths,
        cwd=checkout.root,
        timeout=limit,
        created=now.astimezone(UTC).isoformat(),
        nonce=token,
        slots=kind,
        slot_count=how.slot_count(settings),
        report=how.report,
        devices=how.devices(merged),
        memory=how.memory(settings),
        hang_timeout=settings.hang_timeout,
        profile=profile,
        log_limit=int(max(0.0, settings.log_gib) * _GIB),
    )
    spec = with_debugger(spec, os.environ)
    return with_claims(spec, [test_id]) if TEST_MODULE in how.files else spec


def plan_again(spec: RunSpec, runs: Path, matrix: Matrix) -> RunSpec:
    """The same command again, under a new run id. Raises UsageError for a run of another checkout."""
    if not same_place(spec.cwd, matrix.checkout.root):
        raise UsageError(
            f"Run {spec.run_id} belongs to another checkout",
            f"It ran in {spec.cwd}; this is {matrix.checkout.root}.",
            f"ttmatrix --repo {shlex.quote(str(spec.cwd))} rerun {spec.run_id}",
        )
    again = renamed(spec, datetime.now(UTC))
    entry = "" if spec.cases else entry_digest(matrix.entries.get(spec.test_id))
    return replace(again, batch="", parent=spec.batch, entry=entry)


def as_batch(specs: Sequence[RunSpec], *, stop_on_failure: bool = False) -> list[RunSpec]:
    """`specs` as one batch, named after the first of them."""
    name = specs[0].run_id if specs else ""
    return [replace(spec, batch=name, stop_on_failure=stop_on_failure) for spec in specs]


def with_estimates(
    specs: Sequence[RunSpec], records: Iterable[RunRecord], durations: Mapping[str, float]
) -> list[RunSpec]:
    """`specs` with estimated durations; `records` are newest first, `durations` are seconds by node id.

    CI only measures device runs, and of those only the tests: here each run also starts pytest. What nobody has
    measured keeps the estimate that it has.
    """
    records = list(records)
    specs = with_op_estimates(specs, records)
    history: dict[tuple[str, str], list[float]] = {}
    for record in records:
        if record.outcome in _TELLING and record.seconds:
            history.setdefault((record.spec.test_id, record.spec.kind), []).append(_of_test(record) or record.seconds)
    start, begun = start_up(records), set[tuple[str, str, str]]()
    found = []
    for spec in specs:
        key = spec.kind, spec.arch or "", spec.profile
        found.append(
            spec.estimate if spec.cases else _estimate(spec, history, durations, 0.0 if key in begun else start)
        )
        if not (spec.prefix or spec.needs):
            # The runs after it share its pytest.
            begun.add(key)
    return [replace(spec, estimate=estimate) for spec, estimate in zip(specs, found, strict=True)]


def start_up(records: Iterable[RunRecord]) -> float:
    """The seconds that pytest takes before and after a test of upstream's runner, by the newest of such runs."""
    known = (_started_in(record) for record in records)
    newest = list(islice((seconds for seconds in known if seconds is not None), _NEWEST))
    return statistics.median(newest) if newest else _START_UP


def _started_in(record: RunRecord) -> float | None:
    of_test = _of_test(record)
    if of_test is None or (record.directory / SESSION).exists():
        return None
    return record.seconds - of_test if record.seconds else None


def _of_test(record: RunRecord) -> float | None:
    """The seconds of the test alone, for runs of upstream's runner."""
    if not _by_runner(record.spec) or record.outcome not in _TELLING:
        return None
    return record.said.seconds


def _by_runner(spec: RunSpec) -> bool:
    """Whether upstream's runner of models makes the run."""
    return spec.kind == "device" and not spec.function.beside_models


def _estimate(
    spec: RunSpec, history: Mapping[tuple[str, str], Sequence[float]], durations: Mapping[str, float], start: float
) -> float | None:
    """`start` are the seconds that pytest takes before and after its test."""
    begins = start if _by_runner(spec) else 0.0
    own = history.get((spec.test_id, spec.kind), ())[:_NEWEST]
    if own:
        return statistics.median(own) + begins
    in_ci = durations.get(node_id(spec.function, spec.test_id)) if spec.devices else None
    return spec.estimate if in_ci is None else in_ci + start


def _parsed(text: str) -> TestId:
    parsed = TestId.parse(text)
    if parsed is None:
        raise UsageError(
            f"{text} cannot run", "It does not follow the form of a test id.", "A placeholder has no loader."
        )
    return parsed


def _limit(kind: RunKind, settings: Settings, profile: Profile, timeout: float | None) -> float:
    given = (timeout, profile.timeout, kind.timeout(settings))
    limit = next(one for one in given if one is not None)
    if not 0 <= limit < math.inf:
        raise UsageError(f"Not a time limit: {limit}", hint="Give seconds, or 0 for no limit.")
    return limit


_LEAVES_PACKAGES_ALONE = "TT_XLA_DISABLE_MODEL_REQS"


def with_claims(spec: RunSpec, tests: Iterable[str], environ: Mapping[str, str] = os.environ) -> RunSpec:
    """The run of `tests` with what it must have for itself, if tt-xla's own runner runs it."""
    python, checkout = Path(spec.argv[0]), Checkout(spec.cwd)
    claims = [str(checkout.root.absolute() / STAGE_FILE)]
    if {**environ, **spec.env}.get(_LEAVES_PACKAGES_ALONE) == "1":
        return replace(spec, claims=tuple(claims))
    claims.append(str(environment_of(python)))
    places = requirement_places(checkout, tests)
    return replace(spec, claims=tuple(claims), requirements=tuple(str(place.absolute()) for place in places))


_BATCH = frozenset({"-batch", "--batch", "-batch-silent", "--batch-silent", "-b"})
_OF_PYTHON = frozenset({"pdb", "ipdb", "pudb"})
_OF_PYTEST = frozenset({"--pdb", "--trace", "--pudb"})
_MORE_OPTIONS = "PYTEST_ADDOPTS"
_BRING_ONE = frozenset({"gnome-terminal", "konsole", "screen", "script", "tmux", "xterm"})
"""Programs that give the rest of their command a terminal."""


def with_debugger(spec: RunSpec, environ: Mapping[str, str]) -> RunSpec:
    """The run with its debugger, if its prefix has one, on the process of the test: pytest then forks no other.

    `environ` is the environment that it is requested from. Raises UsageError for a debugger that needs a terminal.
    """
    asks = _asking(spec, environ)
    if any(map(is_debugger, spec.prefix)) or asks:
        spec = replace(spec, argv=tuple(word for word in spec.argv if word != FORKED))
    if asks:
        env = {name: value for name, value in spec.env.items() if name != RUN_VARIABLE}
        raise UsageError(
            f"Profile {spec.profile!r}: {asks} reads from a terminal, and runs have none",
            "A debugger with commands on its command line can run: gdb -batch -ex run -ex bt --args; lldb --batch.",
            f"In a terminal: {shell_command(replace(spec, env=env))}",
        )
    return spec


def _asking(spec: RunSpec, environ: Mapping[str, str]) -> str:
    """What in the command waits for somebody to type; empty: nothing."""
    names = [PurePath(word).name for word in spec.prefix]
    if not _BRING_ONE.isdisjoint(names):
        return ""
    for number, word in enumerate(spec.prefix):
        if is_debugger(word) and _BATCH.isdisjoint(spec.prefix[number:]):
            return names[number]
        if word == "-m" and {*spec.prefix[number + 1 : number + 2]} & _OF_PYTHON:
            return spec.prefix[number + 1]
    given = spec.env.get(_MORE_OPTIONS, environ.get(_MORE_OPTIONS, ""))
    return next((word for word in (*spec.argv, *_words(given)) if word in _OF_PYTEST), "")


def _words(text: str) -> Sequence[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
