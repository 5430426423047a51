# SPDX-License-Identifier: Apache-2.0
"""The matrix at a commit, in the index or in the work tree, and what differs between two of these.

In: names of commits. Out: everything that is known of a checkout there, cached by its files, and differences. The work
tree is never touched.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
