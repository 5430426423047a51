# SPDX-License-Identifier: Apache-2.0
"""The application: start, navigation, what threads report, and actions that every screen has."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
