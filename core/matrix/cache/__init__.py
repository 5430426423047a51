# SPDX-License-Identifier: Apache-2.0
"""The cached index of a checkout and values derived from it, stored between starts.

Valid while the files it was read from have the same stamps; always safe to delete.
"""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
