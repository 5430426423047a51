# SPDX-License-Identifier: Apache-2.0
"""Edits of a YAML text by span: what an operation replaces, so that every other byte stays."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
