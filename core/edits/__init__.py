# SPDX-License-Identifier: Apache-2.0
"""From operations to new texts.

In: operations and the expectation files. Out: an edit plan with the new text of each file, its effects per cell and
the reasons for what is rejected. Nothing is written before `write` or a commit.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
