# SPDX-License-Identifier: Apache-2.0
"""Reports from GitHub Actions. In: a repository, which runs. Out: their JUnit artefacts, each read once, as reports."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
