# SPDX-License-Identifier: Apache-2.0
"""Questions asked of many observations at once.

Clusters of failures with the same cause, states of issues, two runs compared.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
