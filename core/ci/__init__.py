# SPDX-License-Identifier: Apache-2.0
"""Which scheduled CI jobs run a test.

In: the checkout's presets, workflows and the matrix. Out: per test the jobs that select it, and what an edit would
add to or remove from them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
