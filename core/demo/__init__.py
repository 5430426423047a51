# SPDX-License-Identifier: Apache-2.0
"""The sample checkout: a small tt-xla tree with models, expectations and history, laid out on request."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
