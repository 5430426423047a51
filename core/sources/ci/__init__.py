# SPDX-License-Identifier: Apache-2.0
"""Reading what CI runs: presets, workflows, triggers, durations."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
