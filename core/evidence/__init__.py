# SPDX-License-Identifier: Apache-2.0
"""What results say about entries.

In: runs here and reports of CI. Out: observations of cells, from one store per checkout.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
