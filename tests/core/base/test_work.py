# SPDX-License-Identifier: Apache-2.0
"""core.base.work: threads that spin do no work, whatever processor time they use."""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.base.processes import Child, send_signal, spawn_detached
from core.base.work import Labour
from tests.support.cluster import until

_CODE = """
import mmap, os, threading, time

def spin():
    while True: os.stat(".")

def work():
    while True:
        with mmap.mmap(-1, 1_000_000) as fresh:
            fresh.write(b"x" * 1_000_000)

def rest():
    time.sleep(600)

threading.Thread(target=@THREAD@, daemon=True).start()
print("ready", flush=True)
@MAIN@()
"""
Start = Callable[[str, str], Child]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[Child] = []

    def begin(thread: str, main: str) -> Child:
        code, log = _CODE.replace("@THREAD@", thread).replace("@MAIN@", main), tmp_path / f"{thread}-{main}"
        started.append(spawn_detached([sys.executable, "-c", code], cwd=tmp_path, env={}, output=log))
        until(lambda: "ready" in log.read_text())
        return started[-1]

    yield begin
    for child in started:
        send_signal(child.identity, signal.SIGKILL)
        child.wait(60)


def worked(child: Child, seconds: float) -> float:
    """As the watch measures it, look by look."""
    labour, until_then = Labour(), time.monotonic() + seconds
    first = last = labour.seconds([child.identity])
    while time.monotonic() < until_then:
        assert child.wait(0.25) is None
        last = labour.seconds([child.identity])
    return last - first


def test_a_thread_that_spins_does_no_work(start: Start) -> None:
    assert worked(start("spin", "rest"), 1.5) < 0.1


@pytest.mark.parametrize(("thread", "main"), [("work", "rest"), ("rest", "spin"), ("spin", "work")])
def test_a_thread_that_touches_memory_works_and_so_does_the_first_one(start: Start, thread: str, main: str) -> None:
    assert worked(start(thread, main), 2.0) > 0.1


def test_the_end_of_a_process_is_a_sign_of_life(start: Start) -> None:
    child = start("rest", "spin")
    labour = Labour()
    until(lambda: labour.seconds([child.identity]) > 0.1)
    before = labour.seconds([child.identity])
    assert labour.seconds([]) > before
    assert labour.seconds([]) == labour.seconds([])
