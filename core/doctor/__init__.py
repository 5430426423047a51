# SPDX-License-Identifier: Apache-2.0
"""Findings.

What is wrong or doubtful in a checkout's entries, each with its place and, where there is one, a fix as operations.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
