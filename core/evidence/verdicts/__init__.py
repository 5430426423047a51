# SPDX-License-Identifier: Apache-2.0
"""The verdicts on entries from the observations of their cells, as pure functions under a policy."""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
