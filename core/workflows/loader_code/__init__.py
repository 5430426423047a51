# SPDX-License-Identifier: Apache-2.0
"""A loader's source as the workflows see it: the model library it uses and the configuration it starts from."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
