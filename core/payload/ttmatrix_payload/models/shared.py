# SPDX-License-Identifier: Apache-2.0
"""Run several variants of one loader one after the other, each in a process forked from one interpreter.

Slow imports happen once; no model is built before the fork, so that variants do not affect each other.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
from collections.abc import Callable

from .loader import import_loader
from .network import HubLook


def run_shared(args: argparse.Namespace, run: Callable[[argparse.Namespace], int]) -> int:
    """`run` each variant of `args.also`, then that of `args`; returns the exit code of the last, or ends as it did."""
    alone = variants(args)
    _import_beforehand(args)
    if threading.active_count() > 1:
        # A lock that another thread has would stay locked in a fork: the caller runs the others separately.
        return run(alone[-1])
    status = 0
    for one in alone:
        status = _in_fork(one, run)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        os.kill(os.getpid(), -code)
    return code


def variants(args: argparse.Namespace) -> list[argparse.Namespace]:
    """The arguments for each variant, as if it were requested alone; the requested one is the last."""
    words = [word.split("=", 2) for word in args.also]
    others = [{**vars(args), "also": [], "nonce": nonce, "variant": variant} for _, nonce, variant in words]
    return [argparse.Namespace(**one) for one in (*others, {**vars(args), "also": []})]


def _import_beforehand(args: argparse.Namespace) -> None:
    """Import in advance. An error here occurs again in each variant, and is reported there."""
    look = HubLook()
    try:
        import torch  # noqa: F401
    except (ImportError, OSError):
        return
    finally:
        look.settle()
    try:
        from . import phase  # noqa: F401

        import_loader(args.checkout, args.loader)
    except (Exception, SystemExit):  # noqa: BLE001 - whatever a loader raises
        return


def _in_fork(args: argparse.Namespace, run: Callable[[argparse.Namespace], int]) -> int:
    """The wait status of a child that executes `run`."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            code = run(args)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            # Nothing of the parent must be torn down twice.
            os._exit(code)
    return os.waitpid(pid, 0)[1]
