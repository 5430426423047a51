# SPDX-License-Identifier: Apache-2.0
"""Questions about a loader's code.

Where a value comes from, what a method returns, which statement made a tensor.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
