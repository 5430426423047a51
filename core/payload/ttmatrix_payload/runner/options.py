# SPDX-License-Identifier: Apache-2.0
"""The command line of the plugin, checked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from ..models import compile_options
from ..models.compile_options import NO_OPTIONS, CompileOptions
from .expectations import ARCHS, OPTIMIZATION_LEVELS

BACKENDS = ("auto", "xla", "inductor", "eager", "tt")
MODELS_ROOT = Path("third_party/tt_forge_models")
TEST_CONFIG = Path("tests/runner/test_config")
COLLECTED = Path("collected_irs")
"""Directory for files of `--dump-irs`, below the working directory."""
UNMEASURED = "DISABLE_PERF_MEASUREMENT"
"""If this is 1, no test is timed (docs/rules.md 4.2)."""


WITHOUT_EFFECT = ("--log-memory", "--log-pid", "--enable-chisel", "--emitpy")
"""Options of upstream's runner for features that this one lacks; accepted, since a profile may serve both."""


@dataclass(frozen=True)
class Options:
    """The requested options."""

    models_root: Path
    test_config: Path
    arch: str | None
    backend: str
    force_run: bool
    forked: bool
    optimization_level: int | None
    measure: bool
    perf_report_dir: Path | None
    perf_id: str | None
    serialize_to: Path | None
    dump_irs: bool
    """Also save the files below `COLLECTED`, by the name of the model."""
    import_problems: Path | None
    compile_options: CompileOptions = NO_OPTIONS
    """Compile options of a profile."""


def add_options(parser: pytest.Parser) -> None:
    """Declare the options; those that tt-xla's runner also has use the same names."""
    add = parser.getgroup("ttmatrix", "models of tt-forge-models").addoption
    add("--models-root", type=Path, metavar="DIR", help=f"the tree of loaders; default: {MODELS_ROOT}")
    add("--test-config", type=Path, metavar="DIR", help=f"the expectation YAML; default: {TEST_CONFIG}")
    add("--arch", choices=ARCHS, help="the arch whose overrides count; default: none")
    auto = "auto: the first of tt, xla, inductor and eager that works here"
    add("--backend", choices=BACKENDS, default="auto", help=f"what compiles and runs; {auto}")
    add("--force-run", action="store_true", help="run what is marked NOT_SUPPORTED_SKIP as well")
    add("--optimization-level", type=int, choices=OPTIMIZATION_LEVELS, help="wins over the entry's")
    add("--disable-perf-measurement", action="store_true", help=f"no timed runs; so does {UNMEASURED}=1")
    add("--perf-report-dir", type=Path, metavar="DIR", help="write a JSON report of the timed runs there")
    add("--perf-id", metavar="ID", help="goes into the names of those reports")
    add("--serialize", type=Path, metavar="DIR", help="keep StableHLO and compile options of each test there")
    add("--dump-irs", action="store_true", help=f"the same in {COLLECTED}/MODEL/irs, as upstream's runner")
    compile_options.add_options(add)
    for name in WITHOUT_EFFECT:
        add(name, action="store_true", help="an option of upstream's runner, without effect here")
    add("--import-problems", type=Path, metavar="FILE", help="write what could not be imported there, as JSON")


def add_forked(config: pytest.Config, parser: pytest.Parser) -> None:
    """Declare `--forked` unless another plugin, such as pytest-forked, has done so."""
    if not hasattr(config.known_args_namespace, "forked"):
        parser.addoption("--forked", action="store_true", help="run each test in a process of its own")


def read_options(config: pytest.Config) -> Options:
    """The options of `config`. Raises UsageError where there are no models or no such directory."""
    get = config.getoption
    try:
        asked = compile_options.read(get)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error
    return Options(
        models_root=_directory(config, "--models-root", MODELS_ROOT),
        test_config=_directory(config, "--test-config", TEST_CONFIG),
        arch=get("--arch"),
        backend=get("--backend"),
        force_run=get("--force-run"),
        forked=get("--forked"),
        optimization_level=get("--optimization-level"),
        measure=not get("--disable-perf-measurement") and os.environ.get(UNMEASURED) != "1",
        perf_report_dir=get("--perf-report-dir"),
        perf_id=get("--perf-id"),
        serialize_to=get("--serialize"),
        dump_irs=get("--dump-irs"),
        import_problems=get("--import-problems"),
        compile_options=asked,
    )


def ignored(config: pytest.Config) -> list[str]:
    """Given options that have no effect."""
    return [name for name in WITHOUT_EFFECT if config.getoption(name)]


def _directory(config: pytest.Config, option: str, default: Path) -> Path:
    given: Path | None = config.getoption(option)
    path = (config.invocation_params.dir / (given or default)).resolve()
    if not path.is_dir():
        raise pytest.UsageError(f"{option}: there is no directory {path}")
    return path
