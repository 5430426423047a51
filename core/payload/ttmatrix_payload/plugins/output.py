# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: the log of a run has what a test writes as it is written, and pytest captures it as without it.

    TTMATRIX_SPOOL=DIR python -m pytest -p ttmatrix_payload.plugins.output ...

pytest captures by leading the descriptors 1 and 2 into unnamed files. Here these files have names, in a spool
(`spool`) beside the log of the run. Everything that reaches the descriptors is in them: of compilers, of
devices, of forked children, up to the last line before a crash. What a test reads with `capfd` it gets as always.

Where the output of a test goes is decided by `direct`. `--forked` may be given even if pytest-forked is missing.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import wraps
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest
from _pytest import capture

from .spool import LAST, LOGGERS, SPOOL_VARIABLE, Log, Spool

_FIRST_WITH_IDS, _LAST_WITHOUT = (9, 2), (1, 7, 5)
"""Reports of pytest have ids since this version; those of pytest-forked, up to this one, do not."""
_LINE_BUFFERED = 1
"""_IOLBF of the C library."""


class _Output:
    """The spool of this process, and the log as it was when the process began."""

    def __init__(self, place: Path) -> None:
        self.spool = Spool(place)
        self.log = Log(os.dup(1))
        self.numbers: dict[int, int] = {}
        """The stream of each file of pytest, by its descriptor."""

    def temporary_file(self, **named: Any) -> Any:
        """In place of an unnamed file of pytest."""
        try:
            number, file = self.spool.stream()
        except OSError:
            return TemporaryFile(**named)
        self.numbers[file.fileno()] = number
        return file

    def number(self, captured: Any) -> int | None:
        """The stream of a capture of pytest; None: it is over, or is not of a descriptor."""
        with suppress(ValueError):
            return self.numbers.get(captured.tmpfile.fileno())
        return None


_output: _Output | None = None
"""None: pytest captures as usual."""


def direct(log: Path | None) -> None:
    """From now on, what is written appears in the file `log`; None: in the log of the run."""
    if _output is not None:
        _output.spool.copy(_output.log)
        _output.spool.direct(log)


def move(place: Path) -> None:
    """This process now belongs to the run with the spool `place`, which has the files of its streams already."""
    if _output is not None:
        _output.spool = Spool(place)


def show(text: str) -> None:
    """Add `text` where the output of the current test appears; pytest does not capture it."""
    if _output is not None:
        _output.spool.add(text.encode("utf-8", "replace"), _output.log)


@contextmanager
def unseen() -> Iterator[None]:
    """Capture the output of the block without showing it: it was shown before."""
    with _output.spool.unseen(_output.log) if _output is not None else nullcontext():
        yield


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> Generator[None, None, None]:
    declared = hasattr(early_config.known_args_namespace, "forked")
    if not declared and not early_config.pluginmanager.hasplugin("ttmatrix_payload.runner"):
        parser.addoption("--forked", action="store_true", help="no effect: pytest-forked is not installed")
    try:
        return (yield)
    except BaseException:
        capturing = early_config.pluginmanager.getplugin("capturemanager")
        if _output is not None and _output.numbers and capturing is not None:
            # pytest prints what it has captured until now, but the log has it.
            capturing.read_global_capture()
        raise


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if _forking_fails() and not config.pluginmanager.hasplugin("ttmatrix_payload.runner"):
        config.option.forked = False
    if _output is None:
        return
    if config.option.showcapture == "all":
        # The log has it already.
        config.option.showcapture = "log"
    if faulthandler.is_enabled():
        # Its stack is to come after the last lines before the crash, and those are copied.
        faulthandler.enable(file=_output.spool.stream(LAST)[1])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart() -> None:
    if _output is not None:
        _output.spool.begin()


def pytest_report_header() -> list[str]:
    return ["--forked has no effect: this pytest-forked fails every test under this pytest"] if _forking_fails() else []


def _forking_fails() -> bool:
    try:
        forked = tuple(map(int, version("pytest-forked").split(".")))
    except (PackageNotFoundError, ValueError):
        return False
    return pytest.version_tuple[:2] >= _FIRST_WITH_IDS and forked <= _LAST_WITHOUT


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport() -> None:
    """Before pytest says how the test ended: one that crashed in a process of its own has left something to copy."""
    if _output is not None:
        _output.spool.copy(_output.log)


def _begin() -> None:
    """Capture into the spool, if this process belongs to a run and pytest is one that captures as we know it."""
    global _output
    place = os.environ.get(SPOOL_VARIABLE, "")
    if not place or not Path(place).parent.is_dir() or not hasattr(capture, "TemporaryFile"):
        return
    _output = _Output(Path(place))
    capture.TemporaryFile = _output.temporary_file
    for kind in (capture.FDCapture, capture.FDCaptureBinary):
        kind.snap = _taking(kind.snap, _output)  # type: ignore[method-assign, assignment]
        kind.writeorg = _giving_back(kind.writeorg, _output)  # type: ignore[method-assign, assignment]
    base = capture.FDCaptureBase
    base.suspend = _suspending(base.suspend, _output)  # type: ignore[method-assign, assignment]
    base.done = _ending(base.done, _output)  # type: ignore[method-assign, assignment]
    for number, (name, default) in enumerate(LOGGERS.items(), LAST - len(LOGGERS)):
        file = Path(os.environ.get(name, ""))
        # One with a file of its own in any case writes to stderr as well.
        if not default and file.parent == Path(place).parent:
            _output.spool.follow(number, file)
    # The C library keeps what is printed to a file until its buffer is full, and a crash loses it.
    libc = ctypes.CDLL(None)
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, _LINE_BUFFERED, 0)


def _taking(original: Callable[[Any], Any], output: _Output) -> Callable[[Any], Any]:
    @wraps(original)
    def snap(self: Any) -> Any:
        number = output.number(self)
        with output.spool.taken(number, output.log) if number is not None else nullcontext():
            return original(self)

    return snap


def _giving_back(original: Callable[[Any, Any], None], output: _Output) -> Callable[[Any, Any], None]:
    """Pass on the output that a test has not read with `capfd`; in the end it is in the log."""

    @wraps(original)
    def write_back(self: Any, data: Any) -> None:
        if output.number(self) is None:
            original(self, data)
        elif not output.log.is_open_as(self.targetfd_save):
            with output.spool.unseen(output.log):
                original(self, data)

    return write_back


def _suspending(original: Callable[[Any], None], output: _Output) -> Callable[[Any], None]:
    @wraps(original)
    def suspend(self: Any) -> None:
        original(self)
        if output.number(self) is not None:
            # Before the next line of pytest.
            output.spool.copy(output.log)

    return suspend


def _ending(original: Callable[[Any], None], output: _Output) -> Callable[[Any], None]:
    @wraps(original)
    def done(self: Any) -> None:
        number = output.number(self)
        if number is not None:
            output.spool.copy(output.log)
            output.spool.remove(number)
            del output.numbers[self.tmpfile.fileno()]
        original(self)

    return done


_begin()
