# SPDX-License-Identifier: Apache-2.0
"""What the code of a loader downloads, found without running it; `fetched` answers.

`code_modules` finds the modules that its code is in, `reached_calls` follows their calls for one variant,
`constant_texts` says what arguments come to, `hub`, `weights` and `torchvision_weights` what calls fetch.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
