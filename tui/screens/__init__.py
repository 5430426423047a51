# SPDX-License-Identifier: Apache-2.0
"""Screens: each shows one view model and turns keys into actions of the app."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
