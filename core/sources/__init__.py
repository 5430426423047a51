# SPDX-License-Identifier: Apache-2.0
"""Reading a checkout without importing it: layout, loaders and variants, expectation files, schema, git."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
