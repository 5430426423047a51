# SPDX-License-Identifier: Apache-2.0
"""Runs of tests, with the checkout, commit and edits that a result belongs to, its age, and JUnit XML."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
