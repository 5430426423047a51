# SPDX-License-Identifier: Apache-2.0
"""Issues on GitHub that reasons cite: what was known of each when it was last looked up."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
