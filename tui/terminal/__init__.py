# SPDX-License-Identifier: Apache-2.0
"""The terminal below the app: taken, lent to an editor, repainted and given back."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
