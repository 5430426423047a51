# SPDX-License-Identifier: Apache-2.0
"""Programs that runs have left, from the framework's graph to generated code: by stage, op by op, and compared."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
