# SPDX-License-Identifier: Apache-2.0
"""Reading what CI runs: presets, workflows, triggers, durations."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
