# SPDX-License-Identifier: Apache-2.0
"""The review screen: pending changes, their diff, and the way to a commit."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
