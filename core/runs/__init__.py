# SPDX-License-Identifier: Apache-2.0
"""Runs of tests: what their results belong to (checkout, commit, edits), how old that is, and JUnit XML."""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
