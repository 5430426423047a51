# SPDX-License-Identifier: Apache-2.0
"""Runs of tests: what their results belong to (checkout, commit, edits), how old that is, and JUnit XML."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
