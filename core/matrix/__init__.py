# SPDX-License-Identifier: Apache-2.0
"""The matrix: every test of a checkout joined with its entry, immutable; effective values per arch."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
