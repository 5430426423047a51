# SPDX-License-Identifier: Apache-2.0
"""Read and write files of the user, whole or not at all, and values in them as JSON.

In: paths and values. Out: texts, and values of the types that the files hold. Errors name file and place.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
