# SPDX-License-Identifier: Apache-2.0
"""Entries over git history: when each status began, changed and ended, and statistics of that."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
