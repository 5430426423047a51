# SPDX-License-Identifier: Apache-2.0
"""Runs on disk.

Each run has one directory with its specification, events and artefacts; the index is derived and can be rebuilt.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
