# SPDX-License-Identifier: Apache-2.0
"""Edits of a loader's code: dtype, casts, inputs, unpacking, registry; each the smallest change of text."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
