# SPDX-License-Identifier: Apache-2.0
"""The one table of commands: bindings, footer, help and command line all come from it."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
