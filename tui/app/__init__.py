# SPDX-License-Identifier: Apache-2.0
"""The application: start, navigation, what threads report, and actions that every screen has."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
