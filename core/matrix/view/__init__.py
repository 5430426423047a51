# SPDX-License-Identifier: Apache-2.0
"""What a table shows of a matrix: filter, sort, groups, facets, grids, saved views.

Pure; tested without a screen.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
