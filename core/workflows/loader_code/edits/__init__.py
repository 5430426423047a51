# SPDX-License-Identifier: Apache-2.0
"""Edits of a loader's code: dtype, casts, inputs, unpacking, registry; each the smallest change of text."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
