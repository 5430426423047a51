# SPDX-License-Identifier: Apache-2.0
"""Which scheduled CI jobs run a test.

In: the checkout's presets, workflows and the matrix. Out: per test the jobs that select it, and what an edit would
add to or remove from them.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
