# SPDX-License-Identifier: Apache-2.0
"""The JSON that commands print, an object a class. Schemas and docs/json.md are made from these (`make reference`).

A class of a noun is loaded when a command first prints one: a table needs none of them.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
