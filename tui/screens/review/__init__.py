# SPDX-License-Identifier: Apache-2.0
"""The review screen: pending changes, their diff, and the way to a commit."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
