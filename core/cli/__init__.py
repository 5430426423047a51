# SPDX-License-Identifier: Apache-2.0
"""The headless commands: one module each, dispatched by name.

Owns arguments, standard output and exit codes (see docs/commands.md).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
