# SPDX-License-Identifier: Apache-2.0
"""Logs of any size: follow, search, filter and compare them, and make them safe to show."""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
