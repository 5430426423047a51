# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.settings: which checks are on, by upstream's rules."""

from typing import Any

import pytest

pytest.importorskip("torch")
from core.payload.ttmatrix_payload.execute import Execution, Settings


@pytest.mark.parametrize(
    ("asked", "atol", "allclose", "nothing"),
    [
        ({}, False, False, False),
        ({"assert_pcc": False}, False, False, True),
        ({"assert_pcc": False, "required_atol": 0.5}, True, False, False),
        ({"assert_atol": True}, True, False, False),
        ({"assert_pcc": False, "allclose_rtol": 0.1}, False, True, False),
        ({"allclose_atol": 0.1}, False, True, False),
        ({"assert_allclose": True}, False, True, False),
    ],
)
def test_a_number_turns_its_check_on(asked: dict[str, Any], atol: bool, allclose: bool, nothing: bool) -> None:
    settings = Settings(**asked)
    assert (settings.checks_atol, settings.checks_allclose, settings.asserts_nothing) == (atol, allclose, nothing)


def test_the_size_of_a_model_is_in_billions() -> None:
    assert Execution("eager", "CPU", parameters=1_500_000).model_size_billions == 0.0015
    assert Execution("eager", "CPU").model_size_billions is None
