# SPDX-License-Identifier: Apache-2.0
"""From a test to a run: interpreter, command, environment, requirements, and the checks before anything starts."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
