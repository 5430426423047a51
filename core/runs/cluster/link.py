# SPDX-License-Identifier: Apache-2.0
"""One host of the cluster: starts the worker at the other end of ssh, watches it, and restarts it."""

import asyncio
import os
import re
import signal
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import Malformed
from core.base.processes import CommandResult, inherited
from core.hosts import (
    PATIENCE,
    Host,
    HostReport,
    check_command,
    forward_command,
    remedy_for_ssh,
    report_of,
    shell_text,
)
from core.runs.cluster.certificates import Credentials
from core.runs.cluster.shim import Setup
from core.runs.cluster.status import HostState, HostStatus
from core.runs.cluster.wire import message, receive
from core.runs.cluster.worker import MARK, Hello, Welcome, own_versions

_PORT = re.compile(rb"Allocated port (\d+) for remote forward")
_START_SECONDS = 60.0
_JOIN_SECONDS = 30.0
_END_SECONDS = 10.0
_PAUSES = (1.0, 2.0, 5.0, 15.0, 30.0)
"""Seconds before a host is tried again, by the number of failures in a row."""
_CHECK_SECONDS = 60.0
_ESSENTIAL = ("ssh", "python", "disk")
"""The parts of a host's check that must pass before it gets runs again, besides those that passed at first."""
_NOISE = 64


class _Failed(Exception):
    """The host cannot be used now."""

    def __init__(self, why: str, remedy: str = "", *, final: bool = False) -> None:
        super().__init__(why)
        self.remedy = remedy
        self.final = final
        """Whether trying again is useless."""


class HostLink:
    """The link to a host that shall be up, until `close`."""

    def __init__(self, host: Host, address: Callable[[], str], credentials: Credentials, ttl: float) -> None:
        """`address` gives that of Dask on this machine; `ttl`: seconds of silence after which a host counts as lost."""
        self.host = host
        self._address = address
        self._credentials = credentials
        self._ttl = ttl
        self.state = HostState.CONNECTING
        self.why = self.remedy = ""
        self.since = time.time()
        self.memory = 0
        """Bytes that the machine has; 0: unknown."""
        self.worker = ""
        """The address of its worker, in Dask's form; empty: it has none."""
        self.runs: dict[str, int] = {}
        """The runs on the host, each with its slot."""
        self.changed: Callable[[], object] = lambda: None
        self._failed_before = False
        self._had_devices = False
        """Whether it has had devices since it was connected; then it gets no runs without them."""
        self._last_seen: Callable[[], float] = time.time
        self._silent = False
        """Whether its worker was given up because of silence; else its connection ended."""
        self._joined, self._left = asyncio.Event(), asyncio.Event()
        self._recheck: asyncio.Task[None] | None = None
        self._task = asyncio.ensure_future(self._stay_up())

    @property
    def status(self) -> HostStatus:
        """The status for other processes."""
        runs = tuple(run.partition(".")[0] for run in self.runs)
        return HostStatus(
            self.host.name, self.state, self.why, self.since, self.host.slots, runs, self.remedy, self.memory
        )

    def free_slot(self) -> int | None:
        """The first slot without a run; None: there is none, or the host accepts no runs."""
        taken = self.runs.values()
        free = (one for one in range(self.host.slots) if one not in taken)
        return next(free, None) if self.state is HostState.UP else None

    def joined(self, worker: str, last_seen: Callable[[], float]) -> None:
        """Its worker has connected; `last_seen` gives its last sign of life, in seconds since the epoch."""
        self.worker, self._last_seen = worker, last_seen
        self._joined.set()

    def left(self) -> None:
        """Its worker is gone."""
        self.worker = ""
        self._silent = time.time() - self._last_seen() >= self._ttl
        self._left.set()

    def quarantine(self, why: str) -> None:
        """Give it no runs until its check passes."""
        self._failed_before = True
        if self.state is HostState.UP:
            self._become(HostState.QUARANTINED, why)
            self._check_again()

    async def close(self) -> None:
        """End the worker, the link, and a running check."""
        going = [one for one in (self._task, self._recheck) if one is not None]
        for one in going:
            one.cancel()
        await asyncio.gather(*going, return_exceptions=True)

    def _become(self, state: HostState, why: str = "", remedy: str = "") -> None:
        self.state, self.why, self.remedy, self.since = state, why, remedy, time.time()
        self.changed()

    async def _stay_up(self) -> None:
        failures = 0
        while True:
            begun = time.monotonic()
            try:
                await self._once()
            except _Failed as error:
                if error.final:
                    self._become(HostState.REFUSED, str(error), error.remedy)
                    return
                self._become(HostState.LOST, str(error), error.remedy)
            failures = 0 if time.monotonic() - begun > _START_SECONDS else failures + 1
            await asyncio.sleep(_PAUSES[min(failures, len(_PAUSES)) - 1])

    async def _once(self) -> None:
        """Run ssh once, from its start to its end; raises _Failed then."""
        self._joined.clear()
        self._left.clear()
        self._silent = False
        port = int(self._address().rpartition(":")[2])
        python = shell_text(self.host.worker or self.host.python or "python3")
        argv = forward_command(self.host, port, f"exec {python} -P -m core.runs.cluster.worker")
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *argv, stdin=pipe, stdout=pipe, stderr=pipe, cwd=Path("/"), env=inherited(), start_new_session=True
            )
        except OSError as error:
            raise _Failed(f"Cannot run ssh: {error.strerror}", "Install OpenSSH", final=True) from error
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        said = _Said(process.stderr)
        beats = None
        try:
            await self._greet(process.stdin, process.stdout, said)
            beats = asyncio.ensure_future(self._beat(process.stdin))
            await self._wait_for(self._joined, said, _JOIN_SECONDS, "its worker did not reach this machine")
            if self._failed_before:
                self._become(HostState.QUARANTINED, "its check has not passed since it failed")
                self._check_again()
            else:
                self._become(HostState.UP)
            await _first(said.ended, self._left.wait())
            self._failed_before = True
            why = f"it has not answered for {self._ttl:g} s" if self._silent else f"the link is gone: {said.last}"
            raise _Failed(why.removesuffix(": "))
        finally:
            if beats is not None:
                beats.cancel()
            await self._end(process, said)

    async def _greet(self, to: asyncio.StreamWriter, stream: asyncio.StreamReader, said: "_Said") -> None:
        try:
            async with asyncio.timeout(_START_SECONDS):
                hello = await _hello(stream)
                remote = await said.port() if hello else None
        except TimeoutError as error:
            raise _Failed(f"no answer within {_START_SECONDS:g} s", remedy_for_ssh(self.host, said.text)) from error
        if hello is None or remote is None:
            await said.ended
            raise self._no_worker(said)
        mine = own_versions()
        for name in ("ttmatrix", "distributed"):
            theirs, ours = getattr(hello, name), getattr(mine, name)
            if theirs != ours:
                raise _Failed(f"it has {name} {theirs}; here it is {ours}", f"Install {name} {ours} there", final=True)
        self.memory = hello.memory
        self._had_devices |= hello.devices > 0
        address = f"tls://127.0.0.1:{remote}"
        host = self.host
        setup = Setup(0, host.slots, Path(), host.checkout, host.python, host.reset)
        to.write(message(Welcome(host.name, address, self._credentials, setup, self._ttl)))
        with suppress(ConnectionError):
            await to.drain()

    async def _beat(self, to: asyncio.StreamWriter) -> None:
        """Send a byte now and then, so that the worker knows that this side is alive."""
        with suppress(ConnectionError):
            while True:
                await asyncio.sleep(self._ttl / 5)
                to.write(b"\n")
                await to.drain()

    def _no_worker(self, said: "_Said") -> _Failed:
        text = said.text
        if "port forwarding failed" in text:
            return _Failed("its sshd forwards no ports", remedy_for_ssh(self.host, text), final=True)
        if "No module named" in text or "not found" in text or "No such file" in text:
            remedy = "Install ttmatrix[dask] there, and name its interpreter: ttmatrix hosts add {} --worker FILE"
            return _Failed(said.last, remedy.format(self.host.name), final=True)
        return _Failed(said.last or "ssh failed", remedy_for_ssh(self.host, text))

    async def _wait_for(self, event: asyncio.Event, said: "_Said", seconds: float, otherwise: str) -> None:
        try:
            async with asyncio.timeout(seconds):
                await _first(said.ended, event.wait())
        except TimeoutError as error:
            raise _Failed(otherwise) from error
        if not event.is_set():
            raise _Failed(f"the worker ended: {said.last}".removesuffix(": "))

    async def _end(self, process: "asyncio.subprocess.Process", said: "_Said") -> None:
        """Close the worker's input, which ends it; wait for ssh no longer than that takes."""
        assert process.stdin is not None
        process.stdin.close()
        try:
            async with asyncio.timeout(_END_SECONDS if self.worker else 0):
                await process.wait()
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            said.ended.cancel()
            await process.wait()

    def _check_again(self) -> None:
        if self._recheck is not None:
            self._recheck.cancel()
        self._recheck = asyncio.ensure_future(self._until_sound())

    async def _until_sound(self) -> None:
        """Check the host repeatedly until the check passes."""
        wanted = {*_ESSENTIAL, *(["checkout"] if self.host.checkout else []), *(["devices"] * self._had_devices)}
        while self._waits():
            report = await self._check()
            if not self._waits():
                return
            wrong = next((one for one in report.findings if one.check in wanted and not one.ok), None)
            if wrong is None:
                self._failed_before = False
                self._become(HostState.UP)
                return
            self._become(HostState.QUARANTINED, f"{wrong.check}: {wrong.found}", wrong.remedy)
            await asyncio.sleep(_CHECK_SECONDS)

    def _waits(self) -> bool:
        return self.state is HostState.QUARANTINED

    async def _check(self) -> HostReport:
        """The result of a check of the host. If cancelled, the checking process is ended."""
        argv, script = check_command(self.host)
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *argv, stdin=pipe, stdout=pipe, stderr=pipe, cwd=Path("/"), env=inherited(), start_new_session=True
            )
        except OSError as error:
            return report_of(self.host, TTMatrixError(f"Cannot run {argv[0]}", error.strerror or str(error)))
        try:
            async with asyncio.timeout(PATIENCE):
                out, said = await process.communicate(script.encode())
        except TimeoutError:
            return report_of(self.host, TTMatrixError("No answer", f"Its check was stopped after {PATIENCE:g} s."))
        finally:
            if process.returncode is None:
                # The processes it has started are in its session.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        texts = (one.decode("utf-8", "replace") for one in (out, said))
        return report_of(self.host, CommandResult(tuple(argv), process.returncode or 0, *texts))


class _Said:
    """The standard error of ssh, including the forwarded port."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream
        self._lines: list[bytes] = []
        self._port: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        self.ended = asyncio.ensure_future(self._read())
        """Done once ssh has ended."""

    @property
    def text(self) -> str:
        return b"".join(self._lines).decode("utf-8", "replace")

    @property
    def last(self) -> str:
        """The last line that is not empty."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip() and not _PORT.search(line.encode())]
        return lines[-1] if lines else ""

    async def port(self) -> int | None:
        """The forwarded port on the other machine; None: there is none."""
        return await self._port

    async def _read(self) -> None:
        while line := await self._stream.readline():
            self._lines = [*self._lines[-_NOISE:], line]
            if (found := _PORT.search(line)) and not self._port.done():
                self._port.set_result(int(found[1]))
        if not self._port.done():
            self._port.set_result(None)


async def _hello(stream: asyncio.StreamReader) -> Hello | None:
    """The greeting of a worker, after any output of the login."""
    while line := await stream.readline():
        if line.rstrip(b"\n").endswith(MARK):
            with suppress(Malformed):
                return await receive(stream, Hello)
            return None
    return None


async def _first(ended: "asyncio.Future[None]", other: Coroutine[object, object, bool]) -> None:
    """Wait until one of both is done, and cancel the second one."""
    waiting: asyncio.Future[bool] = asyncio.ensure_future(other)
    try:
        await asyncio.wait((ended, waiting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()
