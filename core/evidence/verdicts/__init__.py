# SPDX-License-Identifier: Apache-2.0
"""What the observations of a cell mean for its entry, as pure functions under a policy."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
