# SPDX-License-Identifier: Apache-2.0
"""What a table shows of a matrix: filter, sort, groups, facets, grids, saved views.

Pure; tested without a screen.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
