# SPDX-License-Identifier: Apache-2.0
"""Reports from GitHub Actions: the JUnit artefacts of a repository's runs, each downloaded and read once."""

from core.faces import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
