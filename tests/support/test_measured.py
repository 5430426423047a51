# SPDX-License-Identifier: Apache-2.0
"""tests.measured: long tests are found by their processor time, and the list contains existing tests only."""

import subprocess
import sys
from pathlib import Path

from tests import measured

_TESTS = """
import time
import pytest

def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

@pytest.fixture(scope="module")
def shared():
    work(0.3)

@pytest.fixture
def own():
    work(0.15)

def test_uses_what_is_shared(shared): pass
def test_sets_up_for_long(own): pass
def test_waits(): time.sleep(0.15)
@pytest.mark.parametrize("seconds", [0.01, 0.25])
def test_is_long_on_average(seconds): work(seconds)
@pytest.mark.parametrize("seconds", [0, 0.12])
def test_is_short_on_average(seconds): work(seconds)
"""
_RUN = """
import pathlib, sys
import pytest
from tests import measured
measured.LONG_SECONDS = 0.1
measured.LIST = pathlib.Path(sys.argv[1]) / "long.txt"
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", sys.argv[1], *sys.argv[2:]], [measured]))
"""


def test_a_test_is_long_by_what_it_does_itself(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("# a head\ntest_a.py::test_is_gone\ntest_a.py::test_waits\n")
    (tmp_path / "test_a.py").write_text(_TESTS)
    argv = [sys.executable, "-c", _RUN, str(tmp_path), str(tmp_path / "test_a.py")]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    head, *names = (tmp_path / "long.txt").read_text().splitlines()
    assert head.startswith("#")
    assert names == ["test_a.py::test_is_long_on_average", "test_a.py::test_sets_up_for_long"]


def test_the_list_names_tests_that_there_are() -> None:
    """If one was renamed: make measure."""
    root = Path(__file__).parents[2]
    for name in sorted(measured.long_tests()):
        path, _, function = name.partition("::")
        assert f"def {function.rpartition('::')[2]}(" in (root / path).read_text(), name
