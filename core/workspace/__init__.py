# SPDX-License-Identifier: Apache-2.0
"""What a command and a screen ask of one checkout, worked out when first asked and dropped together.

`Workspace` is about the files, `Evidence` about the results of their tests. In: a checkout, paths, settings. Out: the
same answers for both front ends, from any thread by one rule, which `Workspace` states.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
