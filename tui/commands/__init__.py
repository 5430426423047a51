# SPDX-License-Identifier: Apache-2.0
"""What a person can do: a record beside each action, and the index of all of them for keys, help and command line."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
