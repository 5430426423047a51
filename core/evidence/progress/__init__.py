# SPDX-License-Identifier: Apache-2.0
"""How a team is doing: pass rates over time, what turned, machines, entries that stay stale.

In: reported results of a period, the matrix, git history. Out: one `Progress`, which a report and a screen show.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
