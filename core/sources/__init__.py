# SPDX-License-Identifier: Apache-2.0
"""Reading a checkout without importing it: layout, loaders and variants, expectation files, schema, git."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
