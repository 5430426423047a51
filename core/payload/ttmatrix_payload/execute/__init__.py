# SPDX-License-Identifier: Apache-2.0
"""Run a loader's model on CPU and through a backend, and compare: what upstream's model testers do.

Imports the standard library and torch, and torch_xla where that backend is used. Put the directory that holds
this package on the import path; the files beside it are used too.

    backend = choose_backend("auto")
    if (reason := skip_reason(settings, backend)) is None:
        execution = execute(loader, settings, backend, stage)
        check(execution, settings)
"""

from ..backend import Backend, BackendMissing
from ..settings import Comparison, Execution, FileCheck, Settings
from .choose import choose_backend
from .run import check, execute, skip_reason

__all__ = [
    "Backend",
    "BackendMissing",
    "Comparison",
    "Execution",
    "FileCheck",
    "Settings",
    "check",
    "choose_backend",
    "execute",
    "skip_reason",
]
