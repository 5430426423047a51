# SPDX-License-Identifier: Apache-2.0
"""The kinds of faults: what happens in a round, and what must hold afterwards."""

import os
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from tests.faults.injected import Fault, Injector
from tests.faults.person import Person
from tests.faults.place import Look, Workplace
from tests.faults.player import Ended, Flag, Player, wait_for_orphans

_CALLS = 180
"""Approximate number of system calls in a commit that change something or start a git."""
_CAN_FAIL = 145
"""How many of them could fail."""
_GITS = 52
"""Approximate number of gits that it starts."""
_IN_GIT = {"openat": 40, "read": 30, "write": 4, "rename": 1, "link": 1, "mkdir": 2}
"""Calls of a git that could fail, with approximate counts. If nothing can be removed, git's own locks stay."""
_IN_A_ROW = 5
"""Most faults in a row before checking that everything is there."""
_HURRIED = 0.3
"""Probability of not waiting for the children of a killed process."""
_TMPFS_KIB = 8192
_MOST_FREE_KIB = 250
_YEAR = 365 * 86400.0
_COMMIT = ("--commit", "-m", "second")


class Unable(Exception):
    """This machine does not support this kind."""


class Violation(Exception):
    """An invariant is violated."""

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.kind = kind


class Round:
    """One checkout to which faults happen."""

    def __init__(self, template: Workplace, directory: Path, chance: random.Random) -> None:
        self._template = template
        self.directory = directory
        self.chance = chance
        self._players = 0

    @cached_property
    def shop(self) -> Workplace:
        return self._template.copied_to(self.directory)

    @cached_property
    def before(self) -> Look:
        return self.shop.look()

    def start(
        self,
        *words: object,
        environ: Mapping[str, str] | None = None,
        arm: Callable[[], None] = lambda: None,
    ) -> Player:
        """Start a command line on the checkout."""
        self._players += 1
        output = self._template.directory.parent / f"said-{self._players}"
        home = {"TTMATRIX_HOME": str(self.shop.home)}
        return Player((*words, "--repo", self.shop.root), output, {**home, **(environ or {})}, arm)

    def apply(
        self, name: str = "all", environ: Mapping[str, str] | None = None, arm: Callable[[], None] = lambda: None
    ) -> Player:
        """Start the requested commit."""
        return self.start("apply", self.shop.operations(name), *_COMMIT, environ=environ, arm=arm)

    # Invariants

    def survive(self, ended: Ended) -> None:
        """Check after any fault: the state matches the output, the next command recovers and then finishes the work."""
        if not ended.killed:
            wait_for_orphans()
            self.must_be_true(ended)
            self.finish()
        elif self.chance.random() < _HURRIED:
            self.go_on()
        else:
            wait_for_orphans()
            self._must_let_git_work()
            found = self.shop.look()
            self._must_be_whole(found)
            self._next_command(found)
            self.finish()

    def go_on(self) -> None:
        """Check that the next command recovers, even if a started git is still running, and finishes the work."""
        self._next_command(None)
        self.finish()

    def finish(self) -> None:
        """Repeat the request: then everything is done exactly once, and all else is unchanged."""
        again = self.apply().wait()
        wait_for_orphans()
        found = self.shop.look()
        no_traceback(again)
        self.must_be_clear()
        if again.code != 0 and not (again.code == 64 and found.committed):
            raise Violation("lost work", f"the same again ends with {again.code}: {again.said}")
        wanted = ("second", *self.before.subjects)
        if (found.work, found.subjects) != ("done", wanted) or found.status != self.before.status:
            raise Violation("lost work", f"in the end there is {found}: {again.said}")
        kept = [line for line in self.before.entries if "test_config" not in line]
        if [line for line in found.entries if "test_config" not in line] != kept:
            raise Violation("lost work", f"the index holds {found.entries}")

    def must_be_true(self, ended: Ended) -> None:
        """Check that everything is done, or everything is unchanged, as the output says; and nothing is left over."""
        no_traceback(ended)
        self.must_be_clear()
        found = self.shop.look()
        wanted = "done" if ended.code == 0 else "before"
        if (found.work, found.committed) != (wanted, ended.code == 0):
            raise Violation("false message", f"{found.work}, {found.subjects} after {ended.code}: {ended.said}")
        if ended.code != 0 and found != self.before:
            raise Violation("lost work", f"not as before: {found}: {ended.said}")

    def must_be_clear(self) -> None:
        """Check that no lock and no scratch file is left."""
        if left := self.shop.left():
            raise Violation("stray lock", ", ".join(left))

    def _must_let_git_work(self) -> None:
        """Check that no lock waits for the next command: a person's own git is used first."""
        if (lock := self.shop.root / ".git" / "index.lock").exists():
            raise Violation("stray lock", f"{lock} after a kill")

    def _must_be_whole(self, found: Look) -> None:
        texts = self.shop.place.texts()
        for name in ("before", "done"):
            wanted = self.shop.texts(name)
            texts = {file: text for file, text in texts.items() if text != wanted[file]}
        if texts:
            raise Violation("lost work", f"neither old nor new: {texts}")
        if found.subjects not in (self.before.subjects, ("second", *self.before.subjects)):
            raise Violation("lost work", f"commits: {found.subjects}")

    def _next_command(self, found: Look | None) -> None:
        """Check that any command that may write cleans up, and reports what it found."""
        words = self.chance.choice(
            (("edit", "--apply", self.shop.operations(), "--write"), ("apply", self.shop.operations()))
        )
        said = self.start(*words).wait()
        no_traceback(said)
        self.must_be_clear()
        if said.code != 0:
            raise Violation("false message", f"the next command ends with {said.code}: {said.said}")
        if found is None:
            return
        by_itself = re.search(r"git finished (\w+) by itself", said.said)
        claims = {
            "no commit was made": not found.committed,
            "all is written": found.work == "done",
            "nothing is written": found.work == "before",
            "halfway": found.work not in ("before", "done"),
        }
        for claim, true in claims.items():
            if claim in said.said and not true:
                raise Violation("false message", f"{claim!r}, but there was {found}")
        if by_itself and not found.committed:
            raise Violation("false message", f"{by_itself.group()}, but there was {found}")


def no_traceback(ended: Ended) -> None:
    if "Traceback" in ended.said or "Exception ignored" in ended.said:
        raise Violation("traceback", ended.said)


# Kinds


def kill_at_a_time(round: Round) -> int:
    """SIGKILL at a random time."""

    def play() -> tuple[bool, Ended]:
        player = round.apply()
        if not player.is_over(round.chance.uniform(0.0, round.shop.seconds)):
            player.kill()
        ended = player.wait()
        return ended.killed, ended

    return _killed_in_a_row(round, play)


def kill_at_a_call(round: Round) -> int:
    """SIGKILL right before, after or during a call that changes the disk or starts a git."""
    faults = (Fault.KILL_BEFORE, Fault.KILL_AFTER)
    return _killed_in_a_row(round, lambda: _at_a_call(round, faults, _CALLS))


def _killed_in_a_row(round: Round, play: Callable[[], tuple[bool, Ended]]) -> int:
    """Kill, restart and kill again, also while leftovers are being cleaned up."""
    assert round.before
    hits, most = 0, round.chance.randint(1, _IN_A_ROW)
    while hits < most:
        hit, ended = play()
        if not hit:
            no_traceback(ended)
            if ended.code not in (0, 64):
                raise Violation("lost work", f"the same again ends with {ended.code}: {ended.said}")
            break
        hits += 1
    if hits == 1 and ended.killed:
        round.survive(ended)
    elif hits:
        round.go_on()
    else:
        wait_for_orphans()
    return hits


def error_at_a_call(round: Round) -> int:
    """One call fails: with a full, broken or read-only disk."""
    faults = (Fault.FULL, Fault.BROKEN, Fault.READ_ONLY)
    return _failed_in_a_row(round, lambda: _at_a_call(round, faults, _CAN_FAIL))


def _failed_in_a_row(round: Round, play: Callable[[], tuple[bool, Ended]]) -> int:
    """Check each time that everything is unchanged or done, and that the output is true."""
    assert round.before
    hits, most = 0, round.chance.randint(1, _IN_A_ROW)
    for _ in range(2 * most):
        hit, ended = play()
        wait_for_orphans()
        hits += hit
        round.must_be_true(ended)
        if ended.code == 0 or hits == most:
            break
    if hits:
        round.finish()
    return hits


def _at_a_call(round: Round, faults: tuple[Fault, ...], last: int) -> tuple[bool, Ended]:
    fired, fault, at = Flag(), round.chance.choice(faults), round.chance.randint(1, last)

    def arm() -> None:
        injector = Injector(fault, at, fired.set)
        injector.arm()
        injector.arm_starting()

    ended = round.apply(arm=arm).wait()
    return bool(fired), ended


# The fault applies from the first git that makes the call.
_SHIM = """#!/bin/sh
exec 9>>"$FAULT_COUNT.lock"; flock 9
echo >> "$FAULT_COUNT"
n=$(wc -l < "$FAULT_COUNT")
exec 9>&-
[ "$n" -ge "$FAULT_AT" ] && ! grep -qs INJECTED "$FAULT_COUNT.log" || exec "$FAULT_GIT" "$@"
exec strace -f -qq -A -o "$FAULT_COUNT.log" -e "trace=$FAULT_CALL" \
    -e "inject=$FAULT_CALL:error=$FAULT_ERROR:when=$FAULT_WHEN" "$FAULT_GIT" "$@"
"""


def error_in_git(round: Round) -> int:
    """A call of a started git fails, once or from then on."""
    return _failed_in_a_row(round, lambda: _in_git(round))


def _in_git(round: Round) -> tuple[bool, Ended]:
    shop, git = round.shop, shutil.which("git")
    if shutil.which("strace") is None or shutil.which("flock") is None:
        raise Unable("there is no strace")
    assert git
    shim = shop.directory / "bin" / "git"
    shim.parent.mkdir(exist_ok=True)
    shim.write_text(_SHIM)
    shim.chmod(0o755)
    counted, chance = shop.directory / "count", round.chance
    for name in (counted, counted.with_suffix(".log")):
        name.unlink(missing_ok=True)
    call = chance.choice(list(_IN_GIT))
    environ = {
        "PATH": f"{shim.parent}{os.pathsep}{os.environ['PATH']}",
        "FAULT_COUNT": str(counted),
        "FAULT_AT": str(chance.randint(1, _GITS)),
        "FAULT_GIT": git,
        "FAULT_CALL": call,
        "FAULT_ERROR": chance.choice(("ENOSPC", "EIO")),
        "FAULT_WHEN": str(chance.randint(1, _IN_GIT[call])) + chance.choice(("", "+")),
    }
    ended = round.apply(environ=environ).wait()
    log = counted.with_suffix(".log")
    return log.exists() and "(INJECTED)" in log.read_text(errors="replace"), ended


def full_disk(round: Round) -> int:
    """A real file system with little free space."""
    with _mounted(round.directory) as directory:
        assert round.before

        def play() -> tuple[bool, Ended]:
            free = round.chance.randint(0, _MOST_FREE_KIB) * 1024
            stat = os.statvfs(directory)
            fill = directory / "fill"
            fill.write_bytes(b"x" * max(0, stat.f_bavail * stat.f_bsize - free))
            ended = round.apply().wait()
            wait_for_orphans()
            fill.unlink()
            return ended.code != 0, ended

        return _failed_in_a_row(round, play)


@contextmanager
def _mounted(directory: Path) -> Iterator[Path]:
    directory.mkdir()
    if os.geteuid() != 0:
        raise Unable("a file system can only be mounted by root")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_TMPFS_KIB}k", "tmpfs", str(directory)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Unable(f"no file system can be mounted: {done.stderr.strip()}")
    try:
        yield directory
    finally:
        wait_for_orphans()
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


def two_at_once(round: Round) -> int:
    """Two instances commit to different files, and one of them is killed."""
    assert round.before
    players = []
    for name in ("torch", "jax"):
        players.append(round.apply(name))
        time.sleep(round.chance.uniform(0.0, 0.1))
    victim = round.chance.choice(players)
    if not victim.is_over(round.chance.uniform(0.0, 2 * round.shop.seconds)):
        victim.kill()
    ends = [player.wait() for player in players]
    wait_for_orphans()
    for ended in ends:
        no_traceback(ended)
    for name in ("torch", "jax"):
        again = round.apply(name).wait()
        no_traceback(again)
        if again.code not in (0, 64):
            raise Violation("lost work", f"the same again ends with {again.code}: {again.said}")
    round.must_be_clear()
    found = round.shop.look()
    if (found.work, found.subjects) != ("done", ("second", "second", *round.before.subjects)):
        raise Violation("lost work", f"in the end there is {found}: {ends}")
    if found.status != round.before.status:
        raise Violation("lost work", f"in the end there is {found}")
    return 1


def beside_a_person(round: Round) -> int:
    """Somebody commits, stashes, switches and rebases at the same time, and we may be killed."""
    assert round.before
    person = Person(round.shop.root, random.Random(round.chance.random()))
    person.start()
    time.sleep(round.chance.uniform(0.0, 0.2))
    player = round.apply()
    if round.chance.random() < 0.6 and not player.is_over(round.chance.uniform(0.0, 2 * round.shop.seconds)):
        player.kill()
    ended = player.wait()
    no_traceback(ended)
    done = person.finish()
    no_traceback(round.start("edit", "--apply", round.shop.operations("none"), "--write").wait())
    wait_for_orphans()
    round.must_be_clear()
    person.go_back()
    no_traceback(round.apply().wait())
    person.tidy_up()
    if lost := person.lost(done):
        raise Violation("lost work", f"{lost}: {ended.said}")
    again = round.apply().wait()
    no_traceback(again)
    round.must_be_clear()
    found = round.shop.look()
    if again.code not in (0, 64) or not ("second" in found.subjects and found.work == "done"):
        raise Violation("lost work", f"in the end there is {found}: {ended.said}: {again.said}")
    if lost := person.lost(done):
        raise Violation("lost work", f"{lost}: {ended.said}")
    return 1


def clock_jumps(round: Round) -> int:
    """The clock jumps by years, files have arbitrary times, and we may be killed."""
    chance, shop = round.chance, round.shop
    for path in [shop.root / ".git" / "index", *shop.place.checkout.test_config.rglob("*.yaml")]:
        when = time.time() + chance.uniform(-10, 10) * _YEAR
        os.utime(path, (when, when))
    assert round.before
    jumps = random.Random(chance.random())

    def arm() -> None:
        real = time.time
        vars(time)["time"] = lambda: real() + jumps.uniform(-10, 10) * _YEAR

    date = f"@{chance.randint(1, 2**31)} +0000"
    player = round.apply(environ={"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}, arm=arm)
    if chance.random() < 0.7 and not player.is_over(chance.uniform(0.0, round.shop.seconds)):
        player.kill()
    round.survive(player.wait())
    return 1
