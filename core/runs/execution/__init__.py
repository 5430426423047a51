# SPDX-License-Identifier: Apache-2.0
"""Runs as processes.

The queue, the scheduler that starts them, the supervisor of each, leases of devices, and how a run ended.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
