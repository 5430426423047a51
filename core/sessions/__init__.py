# SPDX-License-Identifier: Apache-2.0
"""What to do with the time that is left on machines. In: tests, evidence, leases. Out: which runs fit, best first."""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
