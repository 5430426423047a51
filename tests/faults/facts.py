# SPDX-License-Identifier: Apache-2.0
"""Facts that come late, never, or not at all: CI jobs, model names, the history and results, as commands ask for them.

A command waits for late ones, says why it lacks others, and can be interrupted while it waits; a commit is made or not.
"""

import errno
import importlib
import os
import signal
import time
from collections.abc import Callable

from core.base.errors import TTMatrixError
from tests.faults.kinds import Round, Violation, no_traceback
from tests.faults.player import Ended, Flag, wait_for_orphans
from tests.faults.scenes import A

_MOST_IN_A_ROW = 5
_SOURCES = (
    ("core.providers", "selected_jobs"),
    ("core.providers", "selections"),
    ("core.providers", "model_infos"),
    ("core.providers.jobs", "provide"),
    ("core.providers.models", "provide"),
    ("core.providers.history", "provide"),
    ("core.history", "read_history"),
    ("core.ci", "read_ci"),
    ("core.evidence", "results_of"),
    ("core.evidence", "policy_of"),
)
"""Functions that commands and queries get facts from."""
_QUERIES = (
    "job:x",
    "job:none",
    "group:red",
    "is:stale",
    "verdict:stale",
    "verdict:regressed",
    "flaky:>0.2",
    "first_bad:abc",
    "age:>3",
    "model:x group:none",
)
_ENDINGS = (0, 1, 2, 64)
_INTERRUPTED = 130
_LATE_SECONDS = (0.01, 0.4)
_SECONDS = 30.0


def late_facts(round: Round) -> int:
    """Some sources of facts answer late, never, or with an error."""
    assert round.before
    return sum(_play(round) for _ in range(round.chance.randint(1, _MOST_IN_A_ROW)))


def _play(round: Round) -> bool:
    """One command; returns whether it asked such a source."""
    chance, asked = round.chance, Flag()
    sources = chance.sample(_SOURCES, chance.randint(1, 3))
    how = chance.choice(("late", "never", "fails", "breaks"))
    seconds = chance.uniform(*_LATE_SECONDS)
    player = round.start(*_words(round), arm=lambda: _replace(sources, how, seconds, asked))
    if not player.is_over(1.0 if how == "never" else _SECONDS):
        if how != "never":
            player.kill()
            raise Violation("hang", f"{sources} {how}: {player.wait().said}")
        os.kill(player.pid, signal.SIGINT)
        if not player.is_over(_SECONDS):
            player.kill()
            raise Violation("hang", f"{sources}: it cannot be interrupted: {player.wait().said}")
    _must_be_right(round, player.wait(), f"{sources} {how}")
    return bool(asked)


def _words(round: Round) -> tuple[object, ...]:
    chance, operations = round.chance, round.shop.operations()
    return chance.choice(
        (
            ("list", chance.choice(_QUERIES)),
            ("list", chance.choice(_QUERIES), "--json"),
            ("show", A),
            ("show", A, "--json"),
            ("jobs", A),
            ("jobs",),
            ("history", A),
            ("trend",),
            ("doctor", "--json"),
            ("report", "--json"),
            ("verdicts",),
            ("propose", "--json"),
            ("edit", "--apply", operations),
            ("apply", operations, "--commit", "-m", "second"),
        )
    )


def _replace(sources: list[tuple[str, str]], how: str, seconds: float, asked: Flag) -> None:
    # It is ignored in jobs that a shell has started in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for module, name in sources:
        place = importlib.import_module(module)
        setattr(place, name, _instead(getattr(place, name), how, seconds, asked))


def _instead(real: Callable[..., object], how: str, seconds: float, asked: Flag) -> Callable[..., object]:
    def answer(*given: object, **named: object) -> object:
        asked.set()
        match how:
            case "late":
                time.sleep(seconds)
            case "never":
                while True:
                    time.sleep(_SECONDS)
            case "fails":
                raise TTMatrixError("The facts cannot be read", "Nobody knows why.", "Try again.")
            case "breaks":
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(*given, **named)

    return answer


def _must_be_right(round: Round, ended: Ended, what: str) -> None:
    wait_for_orphans()
    no_traceback(ended)
    if ended.code not in (*_ENDINGS, _INTERRUPTED):
        raise Violation("false message", f"{what}: it ends with {ended.code}: {ended.said}")
    round.must_be_clear()
    found = round.shop.look()
    if (found.work, found.committed) not in (("before", False), ("done", True)):
        raise Violation("lost work", f"{what}: {found}: {ended.said}")
    round.finish()
