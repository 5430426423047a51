# SPDX-License-Identifier: Apache-2.0
"""Plan the run of a test: interpreter, command, environment, requirements, and the checks before anything starts."""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
