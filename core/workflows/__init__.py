# SPDX-License-Identifier: Apache-2.0
"""Step-by-step triage of one failing test: run, look, edit the loader, run again, propose the entry.

Sessions on disk, resumable.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
