# SPDX-License-Identifier: Apache-2.0
"""A small evaluator for loaders' class bodies and `_get_model_info`, on syntax trees, without importing them."""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
