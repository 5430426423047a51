# SPDX-License-Identifier: Apache-2.0
"""Reading a checkout without importing it: layout, loaders and variants, expectation files, schema, git.

What a loader fetches is the answer of `fetched`: `code_modules` finds the modules that its code is in, `reached_calls`
follows their calls for one variant, `constant_texts` says what arguments come to, `hub` and `weights` what calls fetch.
"""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
