# SPDX-License-Identifier: Apache-2.0
"""Columns that the index alone does not hold, computed when a query or a column first asks for them."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
