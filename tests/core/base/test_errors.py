# SPDX-License-Identifier: Apache-2.0
"""Errors say what, where and what to do."""

from core.base.errors import EXIT_INFRASTRUCTURE, EXIT_USAGE, TTMatrixError, UsageError


def test_text_leaves_empty_parts_out() -> None:
    assert str(TTMatrixError("what", hint="do this")) == "what\ndo this"


def test_exit_codes_are_those_of_the_contract() -> None:
    assert (TTMatrixError("x").exit_code, UsageError("x").exit_code) == (EXIT_INFRASTRUCTURE, EXIT_USAGE) == (2, 64)
