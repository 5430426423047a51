# SPDX-License-Identifier: Apache-2.0
"""The JSON report of the timed runs of one inference test, as upstream's collectors read it (docs/rules.md 4.7)."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Sequence
from typing import Any

from .options import Options
from .report import Facts

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
    size, length = _input_size(shape)
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


def _input_size(shape: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """The part of a shape that is the size of one input, and its length in tokens; images have 4 dimensions or more."""
    if len(shape) >= 4:
        return shape[1:], _MISSING
    return ((shape[1],), shape[1]) if len(shape) >= 2 else ((_MISSING,), _MISSING)
