# SPDX-License-Identifier: Apache-2.0
"""Edits of a YAML text by span: what an operation replaces, so that every other byte stays."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
