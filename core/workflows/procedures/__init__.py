# SPDX-License-Identifier: Apache-2.0
"""The workflows themselves, one module each, and the table that lists them."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
