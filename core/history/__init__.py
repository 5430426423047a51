# SPDX-License-Identifier: Apache-2.0
"""Entries over git history: when each status began, changed and ended, and statistics of that."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
