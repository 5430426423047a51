# SPDX-License-Identifier: Apache-2.0
"""The matrix: every test of a checkout joined with its entry, immutable; effective values per arch."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
