# SPDX-License-Identifier: Apache-2.0
"""Logs: followed, searched, filtered, compared and made safe to show, whatever their size."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
