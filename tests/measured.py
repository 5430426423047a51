# SPDX-License-Identifier: Apache-2.0
"""Which tests are long, by the processor time that each takes: `make measure` writes the list, `make quick` leaves them out.

A pytest plugin (`-p tests.measured`). A test is charged with what its process and the children that it waited for have
used, from its set-up to its tear-down, without fixtures that several tests share. The list holds functions, not their
cases: a function is long where a case takes over `LONG_SECONDS` on average. Processor time hardly depends on what else
the machine does, so the list is much the same wherever it is made.
"""

import os
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

LIST = Path(__file__).with_name("long.txt")
LONG_SECONDS = 0.03
_HEAD = (
    "# Tests that take over 0.03 s of processor time a case: `make quick` leaves them out. Written by `make measure`.\n"
)
_PROPERTY = "processor seconds"

_shared = pytest.StashKey[float]()
_seconds = pytest.StashKey[dict[str, list[float]]]()


def function_of(nodeid: str) -> str:
    """`tests/a.py::test_b[case]` is a case of `tests/a.py::test_b`."""
    return nodeid.partition("[")[0]


def long_tests() -> frozenset[str]:
    """The functions in the list."""
    return frozenset(line for line in LIST.read_text().splitlines() if not line.startswith("#"))


def long_of(seconds: Mapping[str, Sequence[float]]) -> list[str]:
    """The functions whose cases take over `LONG_SECONDS` on average, sorted."""
    return sorted(name for name, cases in seconds.items() if sum(cases) / len(cases) > LONG_SECONDS)


def _used() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """The clock of a test starts before its own fixtures."""
    item.stash[_shared] = _used()
    yield


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
    """What several tests share is not charged to the one that comes first."""
    before = _used()
    result = yield
    if fixturedef.scope != "function":
        request._pyfuncitem.stash[_shared] += _used() - before
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """The property goes with the report of the tear-down, from a worker to whoever started it."""
    yield
    item.user_properties.append((_PROPERTY, _used() - item.stash[_shared]))


def pytest_configure(config: pytest.Config) -> None:
    """Nothing is measured yet."""
    seconds: dict[str, list[float]] = defaultdict(list)
    config.stash[_seconds] = seconds
    config.pluginmanager.register(_Reader(seconds))


class _Reader:
    """Collects what reports say, in the process that writes the list."""

    def __init__(self, seconds: dict[str, list[float]]) -> None:
        self._seconds = seconds

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """The last report of a test has its seconds."""
        used = [value for name, value in report.user_properties if name == _PROPERTY]
        if report.when == "teardown" and used:
            self._seconds[function_of(report.nodeid)] += [float(str(used[0]))]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the list: what was not run today, and is there still, stays as it was."""
    seconds = session.config.stash[_seconds]
    if hasattr(session.config, "workerinput") or not seconds:
        return
    others = [name for name in long_tests() - seconds.keys() if _is_there(name)]
    LIST.write_text(_HEAD + "".join(f"{name}\n" for name in sorted([*others, *long_of(seconds)])))


def _is_there(name: str) -> bool:
    path, _, function = name.partition("::")
    file = LIST.parents[1] / path
    return file.is_file() and f"def {function.rpartition('::')[2]}(" in file.read_text()
