# SPDX-License-Identifier: Apache-2.0
"""Whether processes work or only spin: the processor time of threads that touch memory that is new to them."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from core.base.processes import ProcessIdentity

# Indices of fields of /proc/PID/stat after the name; proc(5) counts them from 1, two fields earlier.
_MINOR, _MAJOR, _USER, _SYSTEM, _USER_OF_CHILDREN, _SYSTEM_OF_CHILDREN = 7, 9, 11, 12, 13, 14
_TICKS = os.sysconf("SC_CLK_TCK")
_IDLE_SHARE = 0.1
"""Loops and threads that poll use a little processor time without making progress."""
_RESOLUTION = 0.02
"""Processor time is counted in ticks of a hundredth of a second."""
_FAULTS_OF_WORK = 5.0
"""Pages touched for the first time in a second of work; a thread that spins comes to one in many seconds."""


class _Times(NamedTuple):
    """What one thread has used so far."""

    seconds: float
    faults: int


def is_work(seconds: float, waited: float) -> bool:
    """Whether `seconds` of work (see `Labour`) within the `waited` ones are more than something that polls needs."""
    return seconds > max(_RESOLUTION, _IDLE_SHARE * waited)


class Labour:
    """The processor time that processes have spent on work.

    A thread that spins, such as one that polls a device that never answers, uses a processor and touches no memory that
    it has not touched before. Its time does not count, unless it is the first thread of its process.
    """

    def __init__(self) -> None:
        self._threads: dict[tuple[ProcessIdentity, int], _Times] = {}
        self._waited: dict[ProcessIdentity, float] = {}
        """By process: the processor time of children that it has waited for."""
        self._seconds = 0.0

    def seconds(self, processes: Iterable[ProcessIdentity]) -> float:
        """The seconds of work up to now; to be called from time to time with all living processes."""
        threads, waited = dict[tuple[ProcessIdentity, int], _Times](), dict[ProcessIdentity, float]()
        for process in processes:
            threads |= {(process, thread): times for thread, times in _threads(process.pid)}
            waited[process] = _of_children(process.pid)
        self._seconds += sum(self._worked(*key, times) for key, times in threads.items())
        self._seconds += sum(seconds - self._waited.get(one, 0.0) for one, seconds in waited.items())
        # That a process has ended means that something has happened.
        gone = (times for (process, _), times in self._threads.items() if process not in waited)
        self._seconds += sum(times.seconds for times in gone)
        self._threads, self._waited = threads, waited
        return self._seconds

    def _worked(self, process: ProcessIdentity, thread: int, now: _Times) -> float:
        before = self._threads.get((process, thread), _Times(0.0, 0))
        used = now.seconds - before.seconds
        busy = now.faults - before.faults >= _FAULTS_OF_WORK * max(1.0, used)
        return used if busy or thread == process.pid else 0.0


def _threads(pid: int) -> Iterator[tuple[int, _Times]]:
    with suppress(OSError):
        for place in Path(f"/proc/{pid}/task").iterdir():
            if fields := _fields(place / "stat"):
                used = (int(fields[_USER]) + int(fields[_SYSTEM])) / _TICKS
                yield int(place.name), _Times(used, int(fields[_MINOR]) + int(fields[_MAJOR]))


def _of_children(pid: int) -> float:
    fields = _fields(Path(f"/proc/{pid}/stat"))
    return (int(fields[_USER_OF_CHILDREN]) + int(fields[_SYSTEM_OF_CHILDREN])) / _TICKS if fields else 0.0


def _fields(file: Path) -> list[bytes]:
    """The fields after the name of a process or thread, which may hold anything; none if it is gone."""
    try:
        return file.read_bytes().rpartition(b")")[2].split()
    except OSError:
        return []
