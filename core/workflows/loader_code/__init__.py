# SPDX-License-Identifier: Apache-2.0
"""A loader's source as the workflows see it: the model library it uses and the configuration it starts from."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
