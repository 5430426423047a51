# SPDX-License-Identifier: Apache-2.0
"""The workflows themselves, one module each, and the table that lists them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
