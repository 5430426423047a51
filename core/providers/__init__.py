# SPDX-License-Identifier: Apache-2.0
"""Columns that the index alone does not hold, computed when a query or a column first asks for them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
