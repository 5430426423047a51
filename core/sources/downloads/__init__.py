# SPDX-License-Identifier: Apache-2.0
"""What the code of a loader downloads, found without running it; `fetched` answers.

`code_files` finds the files that its code is in, `reached_calls` the calls that a run of one variant reaches, `hub`,
`weights` and `torchvision_weights` what calls fetch. Values and calls are those of `core.python`.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
