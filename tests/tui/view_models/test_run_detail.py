# SPDX-License-Identifier: Apache-2.0
"""What the details of a run say of its model."""

import json

import pytest

from core.runs.store import RunResult
from tui.view_models.run_detail import model_size


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (
            {"performance": json.dumps({"parameters": 41034, "parameter_bytes": 82068})},
            "41,034 parameters, 82,068 bytes",
        ),
        ({"performance": json.dumps({"parameters": 41034})}, "41,034 parameters"),
        ({"performance": "{", "tags": {"model_size_billions": 0.04103}}, "0.041 billion parameters"),
        ({"performance": "[]"}, ""),
        ({}, ""),
    ],
)
def test_the_size_of_a_model(result: dict[str, object], said: str) -> None:
    assert model_size(RunResult(result)) == said
