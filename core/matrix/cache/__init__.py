# SPDX-License-Identifier: Apache-2.0
"""What is cached of an index between starts.

Valid while the files it was read from have the same stamps; always safe to delete.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
