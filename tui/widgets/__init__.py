# SPDX-License-Identifier: Apache-2.0
"""Widgets that no screen owns: tables of lines, panes of text, the log view, the filter line."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
