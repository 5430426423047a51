# SPDX-License-Identifier: Apache-2.0
"""The one table of commands: bindings, footer, help and command line all come from it."""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
