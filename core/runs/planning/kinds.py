# SPDX-License-Identifier: Apache-2.0
"""The ways to execute a test, as data: a kind added to `KINDS` is available everywhere."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from core.base.errors import UsageError
from core.base.settings import Settings
from core.domain.ids import TestId
from core.domain.model import TEST_MODULE, Framework, node_id
from core.hosts import DEVICE_NODES as DEVICE_NODES
from core.payload.ttmatrix_payload.export.files import CPP, GRAPHS, PYTHON, NotFree, check_free
from core.payload.ttmatrix_payload.models.compile_options import NO_OPTIONS, CompileOptions, is_true, words
from core.runs.leases import EVERYTHING
from core.runs.planning.pytest_command import (
    BUILT_IN_PLUGIN as BUILT_IN_PLUGIN,
    FORKED as FORKED,
    PAYLOAD as PAYLOAD,
    TIMING_PLUGIN,
    pytest_words,
    upstream_words,
)
from core.runs.spec import ResultFormat, RunSpec
from core.sources import Checkout

CPU_PAYLOAD = PAYLOAD / "cpu_repro.py"
BISECT_PAYLOAD = PAYLOAD / "ops_bisect.py"
EXTRACT_PAYLOAD = PAYLOAD / "ops_extract.py"
EXPORT_PAYLOAD = PAYLOAD / "export_code.py"

_GIB = 2**30
_NO_SEQ_LEN = 1
_ONE_DEVICE = "single_device"
# Without it every failure has an unknown stage (docs/rules.md 4.5).
_STAGES = {"ENABLE_BRINGUP_STAGE_LOGGING": "1"}
_BACKEND_PACKAGES: Mapping[str, tuple[str, ...]] = {"xla": ("torch_xla",), "tt": ("torch_xla", "pjrt_plugin_tt")}
"""Packages that backends need besides torch."""
PROGRAMS = "ir"
"""The directory of a run for the programs of a JAX model, and of any model if the profile dumps them."""
PROFILE_PLUGIN = "ttmatrix_payload.plugins.profile"
"""The plugin that passes the compile options of a profile to upstream's runner."""
_OF_DEVICES = ("auto", "tt")
"""Backends that use a device if there is one."""
_VISIBLE_DEVICES = "TT_VISIBLE_DEVICES"
_FOR_THE_MODEL = 0.9
"""As a share of the time limit; the rest is for writing down what was recorded until then."""
_NO_FILE_NAME = re.compile(r"[^\w.-]+")


EXPORT_PATH, EXPORT_TENSORS = "export_path", "export_tensors"
"""Compile options for the directory of exported files, and whether tensors are exported."""


@dataclass(frozen=True, slots=True)
class Export:
    """The directory and content of an export; its files are always in the directory of the run, too."""

    path: Path | None = None
    """Absolute; each test gets a directory of its own below it. None: as in the profile, else no copy."""
    tensors: bool | None = None
    """Whether weights and inputs are exported too. None: as in the profile, else only with generated code."""


NO_EXPORT = Export()


@dataclass(frozen=True, slots=True)
class Request:
    """The facts that a command is made from."""

    checkout: Checkout
    test: TestId
    python: Path
    token: str
    """Random; repeated by processes that report on a line of output."""
    artefacts: Path
    """The directory of the run."""
    arch: str | None
    batch_size: int | None
    """The value in the entry."""
    backend: str = "auto"
    """The backend of the settings, for a checkout without its own runner."""
    timeout: float = 0.0
    """Seconds that the run may take; 0: no limit."""
    manifest: Path | None = None
    """The manifest for extracted ops; None: no directory for it is known."""
    compile_options: CompileOptions = NO_OPTIONS
    """The profile's compile options."""
    dump: bool = False
    """Whether programs are saved with the run."""
    export: Export = NO_EXPORT


@dataclass(frozen=True, slots=True)
class RunKind:
    """One way to execute a test."""

    help: str
    """One line for people."""
    command: Callable[[Request], list[str]]
    """Makes the argv. Raises UsageError for a test that this kind cannot run."""
    report: ResultFormat
    timeout: Callable[[Settings], float]
    """Seconds."""
    slot_count: Callable[[Settings], int]
    """How many run at a time; 0: as many as their devices allow."""
    memory: Callable[[Settings], int] = lambda _: 0
    """Bytes that must be free before one starts beside others."""
    devices: Callable[[Mapping[str, str]], tuple[str, ...]] = lambda _: ()
    """The devices it needs for itself, by its environment."""
    environment: Mapping[str, str] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    """Packages that the interpreter must be able to import."""
    files: tuple[str, ...] = ()
    """Files that the checkout must have."""
    either: tuple[str, ...] = ()
    """Packages of which the interpreter must be able to import one."""
    needs_device: bool = False
    compiles: bool = False
    """Whether the compile options of a profile apply."""
    instead: "Callable[[Settings], RunKind] | None" = None
    """The kind that replaces it in a checkout that lacks `files`."""


def _cpu_command(request: Request) -> list[str]:
    test = request.test
    arguments = _model(request, f"--mode={test.mode}")
    if test.parallelism != _ONE_DEVICE:
        arguments.append(f"--parallelism={test.parallelism}")
    if test.framework is Framework.JAX:
        arguments.append(f"--programs={request.artefacts / PROGRAMS}")
    return [str(request.python), str(CPU_PAYLOAD), *arguments, f"--nonce={request.token}"]


def _bisect_command(request: Request) -> list[str]:
    if request.test.framework is not Framework.PYTORCH:
        raise UsageError(
            f"{request.test} has no ops of torch", "Only PyTorch loaders can be bisected; this one is JAX."
        )
    files = [f"--case={request.artefacts / 'case.yaml'}", f"--report={request.artefacts / 'bisect.json'}"]
    arguments = [*_model(request), f"--backend={request.backend}", *files, f"--nonce={request.token}"]
    return [str(request.python), str(BISECT_PAYLOAD), *arguments]


def _extract_command(request: Request) -> list[str]:
    if reason := why_no_ops(request.test):
        raise UsageError(f"{request.test} has no ops of torch", reason)
    if request.manifest is None:
        raise UsageError("No file to write ops to", hint="Name a directory of manifests with the setting ops_dirs.")
    files = [f"--output={request.artefacts / 'ops.yaml'}", f"--into={request.manifest}"]
    limit = [f"--within={request.timeout * _FOR_THE_MODEL!r}"] if request.timeout else []
    return [str(request.python), str(EXTRACT_PAYLOAD), *_model(request), *files, *limit, f"--nonce={request.token}"]


def _export_command(target: str, request: Request) -> list[str]:
    """The profile's words come first, so that the batch size of an id wins."""
    test, options = request.test, request.compile_options
    path, tensors = request.export.path, request.export.tensors
    if path is None and EXPORT_PATH in options.values:
        path = request.checkout.root / options.values[EXPORT_PATH]
    if tensors is None and EXPORT_TENSORS in options.values:
        tensors = is_true(options.values[EXPORT_TENSORS])
    arguments = [*words(options), *_model(request, f"--mode={test.mode}"), f"--to={target}"]
    if test.parallelism != _ONE_DEVICE:
        arguments.append(f"--parallelism={test.parallelism}")
    arguments.append(f"--directory={request.artefacts / PROGRAMS}")
    if path is not None:
        arguments.append(f"--export-path={_free(path / _NO_FILE_NAME.sub('_', str(test)))}")
    if tensors is not None:
        arguments.append(f"--export-tensors={str(tensors).lower()}")
    return [str(request.python), str(EXPORT_PAYLOAD), *arguments, f"--nonce={request.token}"]


def check_export(export: Export, kind: str, runs: int) -> None:
    """Raise UsageError if `kind` exports nothing, or if several runs of one test would share a directory."""
    if export != NO_EXPORT and kind not in EXPORT_KINDS:
        option = EXPORT_PATH if export.path else EXPORT_TENSORS
        raise UsageError(f"--kind {kind} exports nothing", f"{option} is for {', '.join(EXPORT_KINDS)}.")
    if export.path and runs > 1:
        raise UsageError("Several runs of a test cannot export to the same place", hint="Give no export path.")


def _free(place: Path) -> Path:
    """`place`, if it does not exist. Raises UsageError otherwise: exported code may have been edited since."""
    try:
        check_free(place)
    except NotFree as error:
        raise UsageError("The export path is taken", str(error)) from error
    return place


def why_no_ops(test: TestId) -> str:
    """Why the ops of a test cannot be extracted; empty if they can."""
    if test.framework is Framework.PYTORCH:
        return ""
    return "Only PyTorch loaders can be extracted; this one is JAX, whose ops are not torch's."


def default_manifest(test: TestId, ops_dirs: Sequence[str]) -> str:
    """The manifest for the ops of a test, relative to the checkout: in the first of `ops_dirs`, named after its model.

    Empty if there is no such directory.
    """
    name = test.directory if test.variant is None else f"{test.directory}-{test.variant}"
    return f"{ops_dirs[0].rstrip('/')}/{_NO_FILE_NAME.sub('_', name)}.yaml" if ops_dirs else ""


def _model(request: Request, *more: str) -> list[str]:
    """The options that select the model and its inputs, with `more`."""
    test, batch_size = request.test, request.batch_size
    # `--name=value`, because a variant that starts with a dash must not be taken for an option.
    arguments = [f"--checkout={request.checkout.root}", f"--loader={test.directory}", *more]
    if test.variant is not None:
        arguments.append(f"--variant={test.variant}")
    if test.llm is not None:
        arguments.append(f"--phase={test.llm.phase}")
        batch_size = test.llm.batch_size or batch_size
        if test.llm.seq_len not in (None, _NO_SEQ_LEN):
            arguments.append(f"--seq-len={test.llm.seq_len}")
    if batch_size is not None:
        arguments.append(f"--batch-size={batch_size}")
    return arguments


def _upstream_command(request: Request) -> list[str]:
    """Upstream's own runner, as CI calls it; a plugin of ours adds what the profile requires beyond its options."""
    options, test = request.compile_options, request.test
    if request.dump and "export_path" not in options.values:
        options = replace(options, values={**options.values, "export_path": str(request.artefacts / PROGRAMS)})
    more = ["-p", TIMING_PLUGIN, *upstream_words(request.checkout, request.artefacts)]
    if options.values or options.torch or options.weights or options.batch_size:
        more += ["-p", PROFILE_PLUGIN, *words(options)]
    # CI does not fork the tests of several devices.
    return _device_command(request, *more, forked=test.parallelism == _ONE_DEVICE or test.llm is not None)


def _device_command(request: Request, *more: str, forked: bool) -> list[str]:
    """A test through pytest: skipped tests are run, expected failures are reported as failures (docs/rules.md 4.1)."""
    node = node_id(request.test.function, str(request.test))
    arch = [] if request.arch is None else ["--arch", request.arch]
    shared = pytest_words(request.artefacts, forked=forked)
    return [str(request.python), *shared, *more, "--force-run", "--runxfail", node, *arch]


def _built_in_command(backend: str, request: Request) -> list[str]:
    """The same with our own plugin, in a fork, so that a crash leaves a JUnit file as well."""
    checkout = request.checkout
    places = [f"--models-root={checkout.relative(checkout.models)}"]
    places.append(f"--test-config={checkout.relative(checkout.test_config)}")
    if request.test.framework is Framework.JAX or request.dump:
        places.append(f"--serialize={request.artefacts / PROGRAMS}")
    places += words(request.compile_options)
    return _device_command(request, "-p", BUILT_IN_PLUGIN, *places, f"--backend={backend}", forked=True)


def _visible_devices(environ: Mapping[str, str]) -> tuple[str, ...]:
    named = tuple(filter(None, (word.strip() for word in environ.get(_VISIBLE_DEVICES, "").split(","))))
    return named or (EVERYTHING,)


def wants_device(spec: RunSpec) -> bool:
    """Whether a run is for a device, whether or not this machine has one."""
    generates = spec.kind in (PYTHON, CPP)
    return bool(spec.devices) or generates or any(f"--backend={one}" in spec.argv for one in _OF_DEVICES)


def _built_in(settings: Settings) -> RunKind:
    """The device kind for a checkout without its own runner."""
    backend = settings.backend
    may_use_devices = backend in _OF_DEVICES and DEVICE_NODES.is_dir()
    return RunKind(
        "ttmatrix's own runner through pytest",
        partial(_built_in_command, backend),
        ResultFormat.JUNIT,
        timeout=lambda settings: settings.device_timeout,
        # They share the file that records the stage of a test.
        slot_count=lambda _: 1,
        devices=_visible_devices if may_use_devices else lambda _: (),
        environment=_STAGES,
        packages=("pytest", "torch", *_BACKEND_PACKAGES.get(backend, ())),
        either=("ruamel", "yaml"),
        compiles=True,
    )


def _generated(target: str, language: str) -> RunKind:
    """The kind of runs in which tt-xla's plugin generates code."""
    return RunKind(
        f"the model as {language} code that tt-xla's plugin generates; passes if the files are there and complete",
        partial(_export_command, target),
        ResultFormat.LINE,
        timeout=lambda settings: settings.device_timeout,
        slot_count=lambda _: 1,
        devices=lambda environ: _visible_devices(environ) if DEVICE_NODES.is_dir() else (),
        packages=("torch", *_BACKEND_PACKAGES["tt"]),
        needs_device=True,
        compiles=True,
    )


def _cpu_slots(settings: Settings) -> int:
    return max(1, min(settings.cpu_slots, os.cpu_count() or 1))


BISECT_KIND = "bisect"
"""The kind of runs that search for the op that breaks a model."""
EXTRACT_KIND = "extract"
"""The kind of runs that write the ops of a model as a manifest of op tests."""
EXPORT_KIND = GRAPHS
EXPORT_KINDS = (EXPORT_KIND, PYTHON, CPP)
"""The kinds of runs that export a model."""

KINDS: Mapping[str, RunKind] = {
    "cpu": RunKind(
        "the loader's model in plain PyTorch or JAX, in bfloat16 and in float32, without a device",
        _cpu_command,
        ResultFormat.LINE,
        timeout=lambda settings: settings.cpu_timeout,
        slot_count=_cpu_slots,
        memory=lambda settings: int(settings.cpu_memory * _GIB),
        packages=("torch",),
    ),
    "device": RunKind(
        "tt-xla's own runner through pytest, on devices here or elsewhere; in a checkout without one, that of ttmatrix",
        _upstream_command,
        ResultFormat.JUNIT,
        timeout=lambda settings: settings.device_timeout,
        slot_count=lambda _: 0,
        devices=_visible_devices,
        environment=_STAGES,
        packages=("pytest", "torch", "torch_xla", "pjrt_plugin_tt"),
        files=(TEST_MODULE,),
        needs_device=True,
        compiles=True,
        instead=_built_in,
    ),
    BISECT_KIND: RunKind(
        "the model op by op, on the CPU and on the backend of the settings: the first op that departs",
        _bisect_command,
        ResultFormat.LINE,
        timeout=lambda settings: settings.cpu_timeout,
        slot_count=_cpu_slots,
        memory=lambda settings: int(settings.cpu_memory * _GIB),
        devices=lambda environ: _visible_devices(environ) if DEVICE_NODES.is_dir() else (),
        packages=("torch",),
    ),
    EXTRACT_KIND: RunKind(
        "the model once on the CPU, its ops written as op cases below the first directory of the setting ops_dirs",
        _extract_command,
        ResultFormat.LINE,
        timeout=lambda settings: settings.cpu_timeout,
        # Two runs at a time could add to the same file.
        slot_count=lambda _: 1,
        memory=lambda settings: int(settings.cpu_memory * _GIB),
        # Sets of texts are in the same order each time, so that the file has the same bytes.
        environment={"PYTHONHASHSEED": "0"},
        packages=("torch",),
        either=("ruamel", "yaml"),
    ),
    EXPORT_KIND: RunKind(
        "FX graphs and StableHLO of the model, of JAX models jaxpr and StableHLO, on the CPU and without the plugin",
        partial(_export_command, GRAPHS),
        ResultFormat.LINE,
        timeout=lambda settings: settings.cpu_timeout,
        slot_count=_cpu_slots,
        memory=lambda settings: int(settings.cpu_memory * _GIB),
        packages=("torch",),
        compiles=True,
    ),
    PYTHON: _generated(PYTHON, "Python"),
    CPP: _generated(CPP, "C++"),
}


OP_RUNS = "op"
"""The kind of runs of op cases."""


def op_kind(backend: str) -> RunKind:
    """The kind that runs op cases with `backend`: by the payload's plugin, one batch at a time."""
    return RunKind(
        "op cases, each compared with a reference on the CPU",
        _no_model,
        ResultFormat.CASES,
        # Each case has its own limit.
        timeout=lambda _: 0.0,
        slot_count=lambda _: 1,
        memory=lambda settings: int(settings.cpu_memory * _GIB),
        devices=_visible_devices if backend == "tt" else lambda _: (),
        environment={"PYTHONPATH": str(PAYLOAD)},
        packages=("pytest", "torch", *_BACKEND_PACKAGES.get(backend, ())),
        either=("ruamel", "yaml"),
        needs_device=backend == "tt",
    )


def _no_model(request: Request) -> list[str]:
    raise UsageError(f"{request.test} is no op case", "A batch of op cases is planned by `plan_ops`.")


def kind_for(name: str, checkout: Checkout, settings: Settings) -> RunKind:
    """The kind called `name` for the tests of `checkout`."""
    kind = KINDS[name]
    whole = all((checkout.root / file).is_file() for file in kind.files)
    return kind if whole or kind.instead is None else kind.instead(settings)
