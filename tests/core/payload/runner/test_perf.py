# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.body: the report of timed runs, in upstream's form (docs/rules.md 4.7)."""

import json

import pytest

from core.payload.ttmatrix_payload.runner.body import input_size, measurements

from .conftest import Checkout


@pytest.mark.parametrize("act", ["run.compare(1.0)", "run.compare(0.5)"])
def test_one_report_a_test_even_if_it_failed(checkout: Checkout, act: str) -> None:
    checkout.acting(
        f"self.hidden = 7; {act}\n    def load_config(self):\n        self.num_hidden_layers = 4; return self"
    )
    checkout.one("--perf-report-dir=perf", "--perf-id=77")
    (file,) = (checkout.root / "perf").iterdir()
    assert file.name == "report_perf_pytorch_tiny_Base_cv_custom_77.json"
    told = json.loads(file.read_text())
    assert told["run_type"] == "pytorch_tiny_Base_cv_custom_2_3_8_8_4"
    assert (told["batch_size"], told["num_layers"], told["input_sequence_length"], told["training"]) == (
        2,
        4,
        -1,
        False,
    )
    assert told["config"]["run_mode"] == "inference"
    values = {one["measurement_name"]: one["value"] for one in told["measurements"]}
    assert values == {"total_samples": 2, "total_time": 1.0, "avg_time": 0.5, "perf_time_1": 0.25, "perf_time_2": 0.75}


def test_training_and_what_was_not_asked_for_leave_none(checkout: Checkout) -> None:
    checkout.acting("run.compare(1.0)")
    checkout.one("--perf-report-dir=perf", mode="training")
    checkout.one()
    assert not (checkout.root / "perf").exists()


def test_missing_numbers_are_minus_one() -> None:
    assert [one["value"] for one in measurements([])] == [-1, -1]


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((2, 3, 8, 8), ((3, 8, 8), -1)),
        ((2, 128), ((128,), 128)),
        ((2, 128, 64), ((128,), 128)),
        ((5,), ((-1,), -1)),
        ((), ((-1,), -1)),
    ],
)
def test_sizes(shape: tuple[int, ...], size: object) -> None:
    assert input_size(shape) == size
