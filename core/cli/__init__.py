# SPDX-License-Identifier: Apache-2.0
"""The headless commands: one module each, dispatched by name.

Owns arguments, standard output and exit codes (see docs/commands.md).
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
