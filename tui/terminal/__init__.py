# SPDX-License-Identifier: Apache-2.0
"""The terminal below the app: taken, lent to an editor, repainted and given back."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
