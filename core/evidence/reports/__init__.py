# SPDX-License-Identifier: Apache-2.0
"""Reading reports of CI: files and archives of JUnit XML in, observations with stage and reason out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
