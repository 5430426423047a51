# SPDX-License-Identifier: Apache-2.0
"""The matrix screen: table, filter line, facets, detail, and the dialogs opened from it."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
