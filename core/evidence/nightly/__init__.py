# SPDX-License-Identifier: Apache-2.0
"""One run of a workflow as a morning report. In: its jobs and results. Out: what differs from the run before."""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
