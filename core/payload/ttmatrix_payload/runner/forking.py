# SPDX-License-Identifier: Apache-2.0
"""Run a test in its own process, so that a crash is reported and does not end the session (docs/rules.md 4.3).

Replaces pytest-forked, whose releases do not support every pytest that upstream runs on; the report of a
crash has upstream's wording and tags.
"""

from __future__ import annotations

import os
import pickle
import signal
import tempfile
import warnings
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from ..processes import die_with_parent
from .harness import HARNESS
from .item import ModelTest
from .parameters import PLACEHOLDER
from .report import crash_properties


def run_forked(item: ModelTest) -> list[pytest.TestReport]:
    """The reports of `item`, made in a child; if that dies, one report of the crash."""
    with tempfile.TemporaryDirectory(prefix="ttmatrix-") as directory:
        file = Path(directory) / "reports"
        with warnings.catch_warnings():
            # Newer Pythons and jax warn about threads; those of torch and jax do not run yet.
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            parent = os.getpid()
            pid = os.fork()
        if pid == 0:
            # If pytest is killed, the model is killed as well.
            die_with_parent(parent)
            _child(item, file)
        status = _wait(pid)
        if status == 0 and file.is_file():
            make = item.config.hook.pytest_report_from_serializable
            return [make(config=item.config, data=data) for data in pickle.loads(file.read_bytes())]
    return [_crash(item, status)]


def _child(item: ModelTest, file: Path) -> None:
    """Write the reports to `file` and end the process, whatever happens."""
    code = 1
    try:
        serialize = item.config.hook.pytest_report_to_serializable
        reports = runtestprotocol(item, log=False, nextitem=None)
        data = [serialize(config=item.config, report=report) for report in reports]
        whole = file.with_suffix(".part")
        whole.write_bytes(pickle.dumps(data))
        whole.rename(file)
        code = 0
    finally:
        # Nothing of the session must be torn down twice.
        os._exit(code)


def _wait(pid: int) -> int:
    """The exit code of the child, minus the number of a signal."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except KeyboardInterrupt:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise


def _crash(item: ModelTest, status: int) -> pytest.TestReport:
    ended = f"CRASHED with signal {-status}" if status < 0 else f"EXITED with status {status}"
    manager = item.config.pluginmanager.getplugin("capturemanager")
    out, err = manager.read_global_capture() if manager else ("", "")
    backend = item.config.stash[HARNESS].backend_of(item.case).name
    told: Any = crash_properties(item.case, item.expectation, backend) if item.case.function != PLACEHOLDER else []
    return pytest.TestReport(
        item.nodeid,
        item.location,
        {name: 1 for name in item.keywords},
        "failed",
        f"{item.nodeid}: running the test {ended}",
        # JUnit files get properties only with the teardown report.
        "teardown",
        [(f"Captured std{name}", text) for name, text in (("out", out), ("err", err)) if text],
        user_properties=told,
    )
