# SPDX-License-Identifier: Apache-2.0
"""The server process for `children`: it has torch imported and forks once per file of cases."""

from __future__ import annotations

import gc
import importlib
import json
import os
import pickle
import sys
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ..backend import BackendMissing
from ..processes import die_with_parent
from .results import BUILD, Result

_MOST_TEXT = 6000
"""Most characters of a message: an answer is written at once, so that a killed process never sends half of one."""


def main(descriptor: int) -> None:
    """Serve the process at the other end of this socket until it closes it."""
    die_with_parent(os.getppid())
    os.set_inheritable(descriptor, False)
    link = Connection(descriptor)
    settings = json.loads(link.recv_bytes())
    # One process compiles one op at a time: a pool of compile processes would cost more than it saves.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    _send(link, {"torch": _load_ahead(settings)})
    gc.collect()
    # Otherwise every child copies the pages that its garbage collector visits.
    gc.freeze()
    while True:
        try:
            message = link.recv_bytes()
        except EOFError:
            return
        if message == b"fork":
            _send(link, {"ended": _forked(link, settings)})
        elif message != b"end":
            _send(link, {"lost": True})


def _load_ahead(settings: dict[str, Any]) -> str:
    """Import everything that children need; returns the version of torch."""
    import torch

    from .backends import load_ahead

    load_ahead(settings["backend"])
    for name in settings["modules"]:
        importlib.import_module(name)
    return str(torch.__version__)


def _forked(link: Connection, settings: dict[str, Any]) -> int:
    """Fork a child and wait for it; returns its exit code, or minus the number of a signal."""
    parent = os.getpid()
    with warnings.catch_warnings():
        # Newer Pythons warn about threads; these are numpy's BLAS threads, which survive a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        code = 1
        try:
            # A process group of its own, so that it can be killed together with its children.
            os.setsid()
            die_with_parent(parent)
            code = _child(link, settings)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _child(link: Connection, settings: dict[str, Any]) -> int:
    """Run the cases that arrive, until the end of their file."""
    from .backends import choose_backend
    from .files import Place
    from .memory import bound
    from .running import run_case
    from .tensors import RULE

    try:
        backend = choose_backend(settings["backend"], settings["device"])
    except BackendMissing as error:
        _send(link, {"missing": str(error)})
        return 0
    facts = {"backend": backend.name, "device": backend.device().type, "rule": RULE}
    _send(link, {"pid": os.getpid(), "facts": facts})
    while True:
        message = link.recv_bytes()
        if message == b"end":
            return 0
        _send(link, {"stage": BUILD})
        case, manifest, root = pickle.loads(message)
        place = Place(Path(manifest), Path(root), settings["max_bytes"])
        bound(place.max_bytes)
        result = run_case(
            case,
            backend,
            place,
            lambda stage: _send(link, {"stage": stage}),
            skip_large=settings["skip_large"],
            replace_devices=settings["replace_devices"],
        )
        _send(link, {"result": _short(result).document()})


def _short(result: Result) -> Result:
    text = result.message
    return result if len(text) <= _MOST_TEXT else result._replace(message=f"{text[:_MOST_TEXT]} ...")


def _send(link: Connection, message: dict[str, Any]) -> None:
    link.send_bytes(json.dumps(message).encode())
