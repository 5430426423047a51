# SPDX-License-Identifier: Apache-2.0
"""Write accepted changes and commit them, all or nothing.

Message, staging of exactly these files, hooks, validator.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
