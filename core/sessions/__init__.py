# SPDX-License-Identifier: Apache-2.0
"""Plan the time that is left on machines. In: tests, evidence, leases. Out: the runs that fit, best first."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
