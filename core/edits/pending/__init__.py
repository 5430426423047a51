# SPDX-License-Identifier: Apache-2.0
"""Changes that wait for a decision.

Journaled on disk, undone and redone, rebased when files change, shared by no second writer.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
