# SPDX-License-Identifier: Apache-2.0
"""Edits that the evidence suggests.

Rules from verdict to operations, CI coverage kept, reruns where evidence lacks.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
