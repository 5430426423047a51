# SPDX-License-Identifier: Apache-2.0
"""The matrix screen: table, filter line, facets, detail, and the dialogs opened from it."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
