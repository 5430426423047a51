# SPDX-License-Identifier: Apache-2.0
"""Edits of a YAML text by span: an operation replaces the smallest span, and every other byte stays."""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
