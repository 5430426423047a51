# SPDX-License-Identifier: Apache-2.0
"""Python source that is read and never run: what its names mean, which values they have, and what raises.

`outline` says what one file shows by itself, at the cost of parsing it. `program` evaluates modules of a tree statement
by statement. `reached` follows calls from some functions, whatever is unknown. `resolver` finds the file that a name is
imported from, for all.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
