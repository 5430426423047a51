# SPDX-License-Identifier: Apache-2.0
"""One run on the machine that it was placed on: prepares its code, runs its process, and sends messages about it.

The task of a worker has its process started (`core.runs.cluster.forks`). Its standard input brings a `Setup` and a
`Job` and then stays open: if it ends, the run is ended too, because nobody listens any more. SIGTERM stops the run
within the graces of the job. Its standard output is messages of `News`.
"""

import ctypes
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.base.errors import TTMatrixError
from core.base.files import opened, read_bytes
from core.base.processes import Child, descendants, own_identity, run_command, send_signal, spawn_detached
from core.base.work import Labour, is_work
from core.payload.ttmatrix_payload.plugins.spool import SPOOL, Log, Spool
from core.runs.cluster.code import reach
from core.runs.cluster.places import BUILT_IN, CHECKOUT, PAYLOAD, PYTHON, RUN, interpreter, settled
from core.runs.cluster.wire import Job, News, message, read_message
from core.runs.environment import child_environment
from core.runs.escalation import Escalation
from core.runs.leases import device_leases

if TYPE_CHECKING:
    from types import FrameType

_PR_SET_CHILD_SUBREAPER = 36
"""From linux/prctl.h."""
_TICK = 0.03
_CHUNK = 64 * 1024
_LIVE_SECONDS = 1.0
_CAPTURED_SECONDS = 0.1
_PULSE_SECONDS = 5.0
_LIVE = "results.jsonl"
"""Sent while it grows, because it shows the progress of a batch of op cases."""
_STAGE = "._bringup_stage.txt"
"""Written by upstream's runner in the checkout (docs/rules.md 4.5)."""
_MOST_BYTES = 256 * 2**20
"""The largest total size of the files of a run."""
_LEFT_BEHIND = (0.5, 0.5, 5.0)
"""Graces, in seconds, for processes that a run leaves behind, and for a run that nobody listens to any more."""
_RESET_SECONDS = 300.0
RESET_FAILED = "reset"
"""The name in the last message of a run if the hook afterwards failed to reset its device."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The settings of the machine that a run is on."""

    slot: int
    slots: int
    scratch: Path
    checkout: str = ""
    """A clone of the checkout; empty: there is none."""
    python: str = ""
    reset: str = ""
    """A line of sh that resets a device after a run was stopped or crashed; empty: nothing is done."""


class _Sender:
    """Standard output as a stream of messages."""

    def __init__(self, job: str) -> None:
        self._job = job
        self._number = 0

    def send(self, kind: str, **fields: object) -> None:
        data = message(News(kind, self._job, self._number, **fields))  # type: ignore[arg-type]
        self._number += 1
        # Nobody listens any more; the end of standard input shows that too.
        with suppress(BrokenPipeError):
            while data:
                data = data[os.write(1, data) :]


class _SentLog(Log):
    """The log as it was sent: what the process writes to its output, and what pytest captures of it meanwhile."""

    def __init__(self, sender: _Sender) -> None:
        self._sender = sender
        self._size = 0
        self._last = b"\n"

    def write(self, data: bytes) -> None:
        self._sender.send("log", data=data)
        self._size += len(data)
        self._last = data[-1:]

    @property
    def size(self) -> int:
        return self._size

    @property
    def inside(self) -> bool:
        return self._last != b"\n"


class _Run:
    """A running process, with its output and its end."""

    def __init__(self, job: Job, child: Child, output: int, files: "_Files", sender: _Sender, spool: Spool) -> None:
        self._job = job
        self._child = child
        self._output = output
        self._files = files
        self._sender = sender
        self._log = _SentLog(sender)
        self._spool = spool
        self._copied = 0.0
        self._me = own_identity()
        self._escalation: Escalation | None = None
        self._looked = time.monotonic()
        self._labour = Labour()
        self._worked, self._pulse = 0.0, time.monotonic()
        self.code: int | None = None
        self.stopped = False
        """Whether it was ended early."""

    def stop(self, graces: Sequence[float]) -> None:
        if self._escalation is None:
            self.stopped = True
            self._escalation = Escalation(graces)

    def watch(self) -> None:
        """Wait until no process of the run is left; processes that survive every signal are ignored."""
        poll = select.poll()
        poll.register(self._output, select.POLLIN)
        poll.register(0, select.POLLIN)
        while not self._over():
            # Once the process has ended, its remaining output is read below.
            for descriptor, _ in poll.poll(_TICK * 1000):
                if descriptor == 0:
                    poll.unregister(0)
                    self.stop(_LEFT_BEHIND)
                elif not self._forward():
                    poll.unregister(self._output)
            self._send_live()
        self._reap()
        while self._forward():
            pass
        self._spool.close(self._log)

    def _over(self) -> bool:
        self._reap()
        if self.code is not None and self._escalation is None and descendants(self._me):
            self._escalation = Escalation(_LEFT_BEHIND)
        if self._escalation is None:
            return self.code is not None
        signum, fresh = self._escalation.due(time.monotonic(), living := descendants(self._me))
        for process in fresh:
            send_signal(process, signum)
        return not living or self._escalation.exhausted

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                if pid == self._child.identity.pid:
                    self.code = os.waitstatus_to_exitcode(status)

    def _forward(self) -> bool:
        """Send the available output; returns whether there was any."""
        try:
            data = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return False
        if data:
            self._log.write(data)
        return bool(data)

    def _send_live(self) -> None:
        if time.monotonic() - self._copied > _CAPTURED_SECONDS:
            self._copied = time.monotonic()
            self._spool.copy(self._log, whole=True, wait=False)
        if time.monotonic() - self._looked > _LIVE_SECONDS:
            self._looked = time.monotonic()
            self._files.send_more(_LIVE)
        since = time.monotonic() - self._pulse
        if since > _PULSE_SECONDS:
            worked = self._labour.seconds(descendants(self._me))
            # The start of pytest may be silent for long.
            if is_work(worked - self._worked, since) or not self._spool.begun:
                self._sender.send("pulse")
            self._worked, self._pulse = worked, time.monotonic()


class _Files:
    """The files of a run, each sent once."""

    def __init__(self, directory: Path, inputs: Mapping[str, bytes], sender: _Sender) -> None:
        self._directory = directory
        self._inputs = inputs
        self._sender = sender
        self._sent: dict[str, int] = {}
        self._left = _MOST_BYTES

    def send_more(self, name: str, source: Path | None = None) -> None:
        """Send what was added to a file since the last time."""
        with suppress(OSError), opened(source or self._directory / name) as file:
            file.seek(offset := self._sent.get(name, 0))
            while self._left > 0 and (data := file.read(_CHUNK)):
                self._sender.send("artefact", name=name, offset=offset, data=data)
                offset = self._sent[name] = offset + len(data)
                self._left -= len(data)

    def send_all(self) -> str:
        """Send every file of the run; returns a message about files that were too large in total."""
        for name, path in self._made():
            self.send_more(name, path)
        return "" if self._left > 0 else f"of its files only the first {_MOST_BYTES >> 20} MiB were sent"

    def _made(self) -> Iterator[tuple[str, Path]]:
        for path in sorted(self._directory.rglob("*")):
            name = path.relative_to(self._directory).as_posix()
            if path.is_file() and not path.is_symlink() and not self._is_input(name, path):
                yield name, path

    def _is_input(self, name: str, path: Path) -> bool:
        given = self._inputs.get(name)
        return given is not None and path.stat().st_size == len(given) and read_bytes(path, None) == given


def run(setup: Setup, job: Job) -> None:
    """Run `job` to its end. On any error, the last message still says how it ended."""
    sender = _Sender(job.id)
    directory = setup.scratch / "runs" / job.id
    try:
        devices, environ = _devices(setup, job)
        conflict = device_leases().take(devices, own_identity()) if devices else None
        if conflict is not None:
            whose = f" of {conflict.user}" if conflict.user else ""
            sender.send("away", text=f"process {conflict.owner.pid}{whose} has the device")
            return
        clone = Path(setup.checkout).expanduser()
        tree = reach(job.state, clone, setup.scratch / "trees" / str(setup.slot)) if job.state else directory
        _prepare(directory, job)
        places = {
            PYTHON: interpreter(setup.python, setup.checkout),
            CHECKOUT: str(tree),
            RUN: str(directory),
            BUILT_IN: str(PAYLOAD),
        }
        _execute(setup, job, sender, directory, tree, places, environ)
    except TTMatrixError as error:
        sender.send("refused", text=f"{error.title}: {error.detail}".removesuffix(": "))
    except OSError as error:
        sender.send("refused", text=f"{error.strerror}: {error.filename}")
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _devices(setup: Setup, job: Job) -> tuple[tuple[str, ...], dict[str, str]]:
    """The devices that a run leases, and the variables that select them; with one slot it has the whole machine."""
    if setup.slots == 1 or not job.devices:
        return job.devices, {}
    return (str(setup.slot),), {"TT_VISIBLE_DEVICES": str(setup.slot)}


def _prepare(directory: Path, job: Job) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, mode=0o700)
    for name, data in job.inputs.items():
        place = directory / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def _execute(
    setup: Setup,
    job: Job,
    sender: _Sender,
    directory: Path,
    tree: Path,
    places: Mapping[str, str],
    environ: Mapping[str, str],
) -> None:
    argv, env, paths = settled(job, places)
    begun = time.time()
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    try:
        # The pipe is opened by name, because a process is started with a file to append to.
        child = spawn_detached(
            argv,
            cwd=tree,
            env=child_environment({**os.environ, **environ}, env, paths),
            output=Path(f"/proc/self/fd/{writing}"),
            ends_with_us=True,
        )
    except TTMatrixError as error:
        sender.send("ended", text=f"{error.title}: {error.detail}")
        return
    finally:
        os.close(writing)
    sender.send("started")
    files = _Files(directory, job.inputs, sender)
    process = _Run(job, child, reading, files, sender, Spool(directory / SPOOL))
    signal.signal(signal.SIGTERM, lambda *_: process.stop(job.graces))
    process.watch()
    problem = files.send_all()
    with suppress(OSError):
        if (tree / _STAGE).stat().st_mtime >= begun - 1:
            files.send_more(_STAGE, tree / _STAGE)
    crashed = process.stopped or (process.code or 0) < 0
    failed = _reset(setup.reset, sender) if crashed and setup.reset else ""
    sender.send("ended", code=process.code, name=RESET_FAILED if failed else "", text=failed or problem)


def _reset(hook: str, sender: _Sender) -> str:
    """Run the person's hook that resets the device; returns why it failed, or an empty text."""
    try:
        done = run_command(["sh", "-c", hook], cwd=Path("/"), timeout=_RESET_SECONDS)
    except TTMatrixError as error:
        return f"{hook}: {error.title}: {error.detail}"
    sender.send("log", data=f"\n[reset: {hook}]\n{done.stdout}{done.stderr}".encode())
    return "" if done.returncode == 0 else f"{hook} ended with exit code {done.returncode}"


def run_one() -> None:
    """Run one job as described in the module's docstring. It exits abruptly, because every run waits for its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def stop_early(_signum: int, _frame: "FrameType | None") -> None:
        os._exit(128 + signal.SIGTERM)

    # Before its process is started, there is nothing else to end.
    signal.signal(signal.SIGTERM, stop_early)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    setup, job = read_message(sys.stdin.buffer, Setup), read_message(sys.stdin.buffer, Job)
    if setup is not None and job is not None:
        run(setup, job)
    os._exit(0)
