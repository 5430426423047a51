# SPDX-License-Identifier: Apache-2.0
"""Run one test through its gates, and report its result (docs/rules.md 4.1, 4.4)."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ..requirements.install import applied
from . import stage
from .expectations import Expectation
from .harness import Harness
from .options import COLLECTED, Options
from .parameters import JAX, OP_BY_OP, PLACEHOLDER, Case
from .reasons import failing_reason, live_reason
from .report import Facts, Property, checks_pcc, filecheck_lines, properties, required_pcc, shown

Record = Callable[[Property], None]


def run_test(case: Case, expectation: Expectation, harness: Harness, record: Record) -> None:
    """The body of the test. Ends as pytest expects: by returning, raising, a skip or an expected failure."""
    if case.function == PLACEHOLDER:
        _report(_placeholder_facts(case, expectation), record)
        return
    if reason := _not_ours(case, harness) or case.skip_reason:
        pytest.skip(reason)
    assert case.model is not None
    info = case.model.info
    # Outside the try blocks: if this fails, no properties are recorded.
    loader = case.model.loader_class(variant=case.model.variant)
    print(f"Running {case.name} - {info.name}", flush=True)
    facts = Facts(
        case, expectation, str(info.name), case.model.group, info.to_report_dict(), harness.backend_of(case).name
    )
    if expectation.status == "NOT_SUPPORTED_SKIP" and not harness.options.force_run:
        _report(facts, record)
        pytest.skip(expectation.reason)  # type: ignore[arg-type] # Upstream hands on what there is, too.
    # If this fails, no properties are recorded either.
    with applied(harness.options.models_root / case.model.directory):
        _execute(loader, facts, harness, record)


def _execute(loader: Any, facts: Facts, harness: Harness, record: Record) -> None:
    from ..execute import check, execute, skip_reason

    jax = facts.case.function == JAX
    backend = harness.backend_of(facts.case)
    settings = execution_settings(facts.case, facts.expectation, harness)
    facts.profile = settings.compile_options.profile
    if reason := skip_reason(settings, backend):
        pytest.skip(reason)
    if jax and settings.filechecks:
        print(f"FileCheck is not run on JAX models: {', '.join(one.name for one in settings.filechecks)}", flush=True)
    try:
        execute(loader, settings, backend, stage.write, facts.begin)
        facts.passed = all(one.passed for one in facts.comparisons)
        for line in filecheck_lines(facts.execution.filechecks):
            print(line, flush=True)
        check(facts.execution, settings)
    except (Exception, SystemExit) as error:
        output = harness.take_output()
        facts.live_reason = live_reason(error, output)
        facts.failing_reason = failing_reason(error, output)
        raise
    finally:
        facts.stage = stage.failed_at()
        _report(facts, record)
        if facts.execution is not None and facts.case.mode == "inference" and not jax:
            report(loader, facts, harness.options)
        if facts.expectation.status == "KNOWN_FAILURE_XFAIL":
            # Whatever the result; has no effect with --runxfail.
            pytest.xfail(shown(facts).reason or "")


def execution_settings(case: Case, expectation: Expectation, harness: Harness) -> Any:
    """The settings of the execution: the id takes precedence over the entry, the command line over both."""
    from ..execute import Settings

    options = harness.options
    asked = options.compile_options
    level = expectation.optimization_level if options.optimization_level is None else options.optimization_level
    size = expectation.batch_size if asked.batch_size is None else asked.batch_size
    return Settings(
        mode=case.mode,
        phase=case.phase,
        parallelism=case.parallelism,
        batch_size=size if case.batch_size is None else case.batch_size,
        seq_len=case.seq_len,
        mesh=case.mesh,
        strategy=case.strategy,
        shard_inputs=case.shard_inputs,
        **_comparison_settings(expectation),
        optimization_level=level,
        weight_bfp8=bool(expectation.enable_weight_bfp8_conversion),
        inject_custom_moe=bool(expectation.inject_custom_moe),
        measure=options.measure,
        serialize_to=_kept_in(case, options),
        compile_options=asked,
        filechecks=tuple(map(harness.filecheck, expectation.filechecks)),
    )


def _kept_in(case: Case, options: Options) -> Path | None:
    """The directory for the programs of this test; with `--dump-irs` the one in which upstream's tools look."""
    if options.serialize_to is not None:
        return options.serialize_to / _file_name(case.id)
    if "export_path" in options.compile_options.values:
        return Path(options.compile_options.values["export_path"])
    if not options.dump_irs or case.model is None:
        return None
    return Path.cwd() / COLLECTED / _file_name(str(case.model.info.name)) / "irs"


def _file_name(text: str) -> str:
    return re.sub(r"[^\w.+-]", "_", text)


def _comparison_settings(expectation: Expectation) -> dict[str, Any]:
    return {
        "required_pcc": required_pcc(expectation),
        "assert_pcc": checks_pcc(expectation),
        "assert_atol": bool(expectation.assert_atol),
        "required_atol": expectation.required_atol,
        "assert_allclose": bool(expectation.assert_allclose),
        "allclose_rtol": expectation.allclose_rtol,
        "allclose_atol": expectation.allclose_atol,
    }


def _not_ours(case: Case, harness: Harness) -> str:
    if case.function == OP_BY_OP:
        return "op-by-op tests need tt-xla's own runner and compiler"
    return harness.jax.missing() or "" if case.function == JAX else ""


def _placeholder_facts(case: Case, expectation: Expectation) -> Facts:
    """Report name and group derived from the key, as upstream does (docs/rules.md 2.5)."""
    return Facts(case, expectation, case.id.lower().replace(" ", "_").replace("/", "_"), "red")


def _report(facts: Facts, record: Record) -> None:
    for one in properties(facts):
        record(one)


WARM_UPS = 3
"""Runs before the timed ones."""
_STEP = "e2e_perf"
_MISSING = -1


def report(loader: Any, facts: Facts, options: Options) -> None:
    """Write the report if `--perf-report-dir` asks for one, also for a failing test."""
    if options.perf_report_dir is None:
        return
    options.perf_report_dir.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[/\\]", "_", facts.model_name)
    file = options.perf_report_dir / f"report_perf_{name}_{options.perf_id}.json"
    file.write_text(json.dumps(document(loader, facts), indent=2) + "\n", encoding="utf-8")
    print(f"Timed runs: {file}", flush=True)


def document(loader: Any, facts: Facts) -> dict[str, Any]:
    """The report as JSON."""
    execution, case, info = facts.execution, facts.case, facts.case.model.info  # type: ignore[union-attr]
    layers = getattr(loader.load_config(), "num_hidden_layers", 0)
    shape = tuple(execution.input_shape)
    size, length = input_size(shape)
    sizes = "_".join(map(str, size))
    return {
        "model": facts.model_name,
        "model_type": str(info.task),
        "run_type": f"{'_'.join(facts.model_name.split())}_{execution.batch_size}_{sizes}_{layers}",
        "config": {
            "model_info": facts.model_name,
            "model_group": str(facts.group),
            "parallelism": case.parallelism,
            "run_mode": case.mode,
        },
        "measurements": measurements(execution.samples),
        "device_info": {"device_name": socket.gethostname(), "device_arch": execution.device},
        "num_layers": layers,
        "batch_size": execution.batch_size,
        "precision": "bfloat16",
        "input_sequence_length": length,
        "training": False,
        "project": "tt-xla",
        "model_rawname": f"{info.model}_{info.variant}",
    }


def measurements(samples: Sequence[float]) -> list[dict[str, Any]]:
    """Number, sum and mean of `samples` in seconds, and each of them; -1 for missing values."""
    total = sum(samples)
    found = [
        _measurement("total_samples", len(samples) or _MISSING),
        _measurement("total_time", total if samples else _MISSING),
    ]
    if samples:
        found.append(_measurement("avg_time", total / len(samples), WARM_UPS))
    numbered = enumerate(samples, start=1)
    return found + [_measurement(f"perf_time_{number}", value, WARM_UPS, number) for number, value in numbered]


def _measurement(name: str, value: float, warm_ups: int = _MISSING, iteration: int = _MISSING) -> dict[str, Any]:
    return {
        "step_name": _STEP,
        "measurement_name": name,
        "step_warm_up_num_iterations": warm_ups,
        "iteration": iteration,
        "value": value,
        "target": -1.0,
    }


def input_size(shape: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """The part of a shape that is the size of one input, and its length in tokens; images have 4 dimensions or more."""
    if len(shape) >= 4:
        return shape[1:], _MISSING
    return ((shape[1],), shape[1]) if len(shape) >= 2 else ((_MISSING,), _MISSING)
