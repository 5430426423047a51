# SPDX-License-Identifier: Apache-2.0
"""The query language: parse, complete, and select rows of a matrix."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
