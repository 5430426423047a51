# SPDX-License-Identifier: Apache-2.0
"""Edits that the evidence suggests.

Rules from verdict to operations, CI coverage kept, reruns where evidence lacks.
"""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
