# SPDX-License-Identifier: Apache-2.0
"""Tests that people write by hand, beside the matrix: cached, found by id, selected by jobs of CI, planned as runs."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
