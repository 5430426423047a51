# SPDX-License-Identifier: Apache-2.0
"""The query language: parse, complete, and select rows of a matrix."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
