# SPDX-License-Identifier: Apache-2.0
"""Which tests are long, by the processor time that each takes: `make measure` writes the list, `make quick` leaves them out.

A pytest plugin (`-p tests.measured`). A test's time is that of its process and of the children that it waited for,
from set-up to tear-down, without fixtures that several tests share. The list contains functions, not their
cases: a function is long if a case takes over `LONG_SECONDS` on average. Processor time hardly depends on other
load on the machine, so the list is nearly the same on every machine.
"""

import os
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

LIST = Path(__file__).with_name("long.txt")
LONG_SECONDS = 0.02
_HEAD = (
    f"# Tests that take over {LONG_SECONDS} s of processor time a case: `make quick` leaves them out. "
    "Written by `make measure`.\n"
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
    """Start a test's clock before its own fixtures."""
    item.stash[_shared] = _used()
    yield


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
    """Do not charge shared fixtures to the first test that uses them."""
    before = _used()
    result = yield
    if fixturedef.scope != "function":
        request._pyfuncitem.stash[_shared] += _used() - before
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Attach the property to the tear-down report, which workers send to the main process."""
    yield
    item.user_properties.append((_PROPERTY, _used() - item.stash[_shared]))


def pytest_configure(config: pytest.Config) -> None:
    """Start without measurements."""
    seconds: dict[str, list[float]] = defaultdict(list)
    config.stash[_seconds] = seconds
    config.pluginmanager.register(_Reader(seconds))


class _Reader:
    """Collects values from reports, in the process that writes the list."""

    def __init__(self, seconds: dict[str, list[float]]) -> None:
        self._seconds = seconds

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Read the seconds from a test's last report."""
        used = [value for name, value in report.user_properties if name == _PROPERTY]
        if report.when == "teardown" and used:
            self._seconds[function_of(report.nodeid)] += [float(str(used[0]))]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the list; existing tests that were not run this time keep their state."""
    seconds = session.config.stash[_seconds]
    if hasattr(session.config, "workerinput") or not seconds:
        return
    others = [name for name in long_tests() - seconds.keys() if _is_there(name)]
    LIST.write_text(_HEAD + "".join(f"{name}\n" for name in sorted([*others, *long_of(seconds)])))


def _is_there(name: str) -> bool:
    path, _, function = name.partition("::")
    file = LIST.parents[1] / path
    return file.is_file() and f"def {function.rpartition('::')[2]}(" in file.read_text()
