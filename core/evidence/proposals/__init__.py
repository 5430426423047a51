# SPDX-License-Identifier: Apache-2.0
"""Edits that the evidence suggests.

Rules from verdicts to operations, CI jobs that a test would lose, and reruns where evidence is missing.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
