# SPDX-License-Identifier: Apache-2.0
"""Widgets that no screen owns: tables of lines, panes of text, the log view, the filter line."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
