# SPDX-License-Identifier: Apache-2.0
"""From domain objects to lines and cells of text. Pure; tested without a screen."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
