# SPDX-License-Identifier: Apache-2.0
"""Changes that wait for a decision.

Journaled on disk, undone and redone, rebased when files change, shared by no second writer.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
