# SPDX-License-Identifier: Apache-2.0
"""The sample checkout: a small tt-xla tree with models, expectations and history, laid out on request."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
