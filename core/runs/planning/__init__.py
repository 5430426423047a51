# SPDX-License-Identifier: Apache-2.0
"""From a test to a run: interpreter, command, environment, requirements, and the checks before anything starts."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
