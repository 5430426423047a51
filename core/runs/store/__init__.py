# SPDX-License-Identifier: Apache-2.0
"""Runs on disk.

One directory each with its specification, events and artefacts; the index is derived and can be rebuilt.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
