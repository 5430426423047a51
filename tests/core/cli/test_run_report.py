# SPDX-License-Identifier: Apache-2.0
"""Exit codes of runs."""

from unittest.mock import Mock

import pytest

from core.cli.runs_common import exit_code
from core.runs import Outcome


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ([], 0),
        ([Outcome.PASS, Outcome.PASS], 0),
        ([Outcome.PASS, Outcome.FAIL], 1),
        ([Outcome.XFAIL, Outcome.SKIP], 0),
        ([Outcome.CRASH], 1),
        ([Outcome.HANG], 1),
        ([Outcome.TIMEOUT, Outcome.CANCELLED, Outcome.LOST], 1),
        ([Outcome.FAIL, Outcome.ERROR], 2),
        ([None], 1),
    ],
)
def test_exit_code(outcomes: list[Outcome | None], code: int) -> None:
    assert exit_code([Mock(outcome=outcome) for outcome in outcomes]) == code
