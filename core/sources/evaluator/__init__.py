# SPDX-License-Identifier: Apache-2.0
"""A small evaluator for loaders' class bodies and `_get_model_info`, on syntax trees, without importing them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
