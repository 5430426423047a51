# SPDX-License-Identifier: Apache-2.0
"""Questions about a loader's code.

Where a value comes from, what a method returns, which statement made a tensor.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
