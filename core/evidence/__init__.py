# SPDX-License-Identifier: Apache-2.0
"""What results say about entries.

In: runs here and reports of CI. Out: observations of cells, from one store per checkout.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
