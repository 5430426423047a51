# SPDX-License-Identifier: Apache-2.0
"""Op tests from YAML. In: manifests of a checkout. Out: cases with ids, findings, and numbers that need no results."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
