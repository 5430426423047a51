# SPDX-License-Identifier: Apache-2.0
"""Write accepted changes and commit them, all or nothing.

Message, staging of exactly these files, hooks, validator.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
