# SPDX-License-Identifier: Apache-2.0
"""The commands of the app: a record above each action, and an index of all for keys, help and command line."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
