# SPDX-License-Identifier: Apache-2.0
"""Tests of a checkout that are written by hand, collected as pytest would, from syntax trees. Nothing is imported."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
