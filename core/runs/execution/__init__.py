# SPDX-License-Identifier: Apache-2.0
"""Runs as processes.

The queue, the scheduler that starts them, the supervisor of each, leases of devices, and how a run ended.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
