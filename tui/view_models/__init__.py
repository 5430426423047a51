# SPDX-License-Identifier: Apache-2.0
"""From domain objects to lines and cells of text. Pure; tested without a screen."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
