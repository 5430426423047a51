# SPDX-License-Identifier: Apache-2.0
"""Step-by-step triage of one failing test: run, look, edit the loader, run again, propose the entry.

Sessions on disk, resumable.
"""

from core.base.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
