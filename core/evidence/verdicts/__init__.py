# SPDX-License-Identifier: Apache-2.0
"""What the observations of a cell mean for its entry, as pure functions under a policy."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
