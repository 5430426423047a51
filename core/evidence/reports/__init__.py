# SPDX-License-Identifier: Apache-2.0
"""Reading reports of CI: files and archives of JUnit XML in, observations with stage and reason out."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
