# SPDX-License-Identifier: Apache-2.0
"""Logs: followed, searched, filtered, compared and made safe to show, whatever their size."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
