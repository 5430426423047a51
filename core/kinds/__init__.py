# SPDX-License-Identifier: Apache-2.0
"""The kinds of rows, a module each: ids, fields, columns, how rows are read, found, described, and run.

`core.matrix.row_kinds` lists them.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
