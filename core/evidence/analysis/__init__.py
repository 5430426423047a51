# SPDX-License-Identifier: Apache-2.0
"""Questions asked of many observations at once.

Clusters of failures with the same cause, states of issues, two runs compared.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
