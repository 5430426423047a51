# SPDX-License-Identifier: Apache-2.0
"""Screens: each shows one view model and turns keys into actions of the app."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
