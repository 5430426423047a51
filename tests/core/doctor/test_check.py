# SPDX-License-Identifier: Apache-2.0
"""A check without a function of its own still names its kind."""

from collections.abc import Callable

from core.doctor.check import Check
from core.matrix import Matrix


def test_a_kind_found_while_reading_needs_no_function(checked: Callable[..., Matrix]) -> None:
    assert tuple(Check("some-kind", "some help").find(checked(""))) == ()
