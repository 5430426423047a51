# SPDX-License-Identifier: Apache-2.0
"""Choose a backend by name, or the best one available."""

from __future__ import annotations

from ..backend import Backend, BackendMissing
from .host import Eager, Inductor
from .tt import Tenstorrent
from .xla import Xla

BACKENDS: dict[str, type[Backend]] = {"tt": Tenstorrent, "xla": Xla, "inductor": Inductor, "eager": Eager}
"""By name, the nearest to a device first."""

AUTO = "auto"


def choose_backend(name: str) -> Backend:
    """The backend called `name`; for `auto` the first of `BACKENDS` that works here.

    Starts no runtime. Raises BackendMissing, with a remedy, if it cannot work here.
    """
    if name == AUTO:
        return next(backend for one in BACKENDS.values() if (backend := one()).missing() is None)
    if name not in BACKENDS:
        raise BackendMissing(f"There is no backend {name!r}; there are {AUTO}, {', '.join(BACKENDS)}")
    backend = BACKENDS[name]()
    if reason := backend.missing():
        raise BackendMissing(f"The backend {name} cannot work here: {reason}")
    return backend
