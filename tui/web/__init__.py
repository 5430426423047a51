# SPDX-License-Identifier: Apache-2.0
"""The app in a browser of this machine: who may open it, and the server that starts an app for each page."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
