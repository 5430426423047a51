# SPDX-License-Identifier: Apache-2.0
"""Completions for the Tab key, requested as a shell does: by environment and file descriptor 8."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.sources import Checkout
from tests.faults.player import Player
from tests.support.cli import call
from tests.support.tree import sample

pytestmark = pytest.mark.slow("a process is started for each answer")
ROOT = Path(__file__).parents[3]
TEST = "alpha/pytorch-tiny-single_device-training"
_ASK = "import sys; from core.cli.dispatch import main; sys.exit(main([], lambda request: 3))"
_SEPARATOR = "\v"

Tab = Callable[[str], list[str]]


class Answer:
    """What a process has written to descriptor 8."""

    def __init__(self) -> None:
        self._reading, self.writing = os.pipe()

    @property
    def words(self) -> list[str]:
        os.close(self.writing)
        with os.fdopen(self._reading, encoding="utf-8") as answer:
            words = answer.read().split(_SEPARATOR)
        return [word.replace("\\:", "\0").partition(":")[0].replace("\0", ":") for word in words if word]


def _asked(line: str) -> dict[str, str]:
    """The environment with which a shell asks for the words that can end `line`."""
    return {
        "PYTHONPATH": str(ROOT),
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_SHELL": "zsh",
        "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }


@pytest.fixture
def here(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "here")


@pytest.fixture
def shell_tab(here: Checkout) -> Tab:
    """Press the key in a shell."""

    def press(line: str) -> list[str]:
        answer = Answer()
        # Like the shell code: the answer comes from descriptor 8, and other output is ignored.
        script = f"exec 8>&{answer.writing} 9>/dev/null; exec {sys.executable} -c '{_ASK}'"
        env, passed = {**os.environ, **_asked(line)}, [answer.writing]
        done = subprocess.run(
            ["bash", "-c", script], cwd=here.root, env=env, pass_fds=passed, capture_output=True, check=False
        )
        words = answer.words
        assert (done.returncode, done.stdout) == (0, b""), done.stderr
        return words

    return press


@pytest.fixture
def tab(here: Checkout, tmp_path: Path) -> Tab:
    """As `shell_tab`, in forks, which need no imports."""

    def press(line: str) -> list[str]:
        answer = Answer()

        def open_descriptors() -> None:
            os.chdir(here.root)
            os.dup2(answer.writing, 8)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 9)

        player = Player((), tmp_path / "said", _asked(line), open_descriptors)
        words = answer.words
        ended = player.wait()
        assert (ended.code, ended.said) == (0, "")
        return words

    return press


def test_a_shell_gets_the_same_answer(tab: Tab, shell_tab: Tab) -> None:
    for line in ("ttmatrix show alpha/", "ttmatrix list --"):
        assert tab(line) == shell_tab(line) != []


def test_commands_and_options(tab: Tab) -> None:
    assert {"list", "show", "completion"} <= set(tab("ttmatrix "))
    assert tab("ttmatrix li") == ["list"]
    assert {"--format", "--universe", "--json"} <= set(tab("ttmatrix list --"))
    assert tab("ttmatrix list --format i") == ["ids"]


def test_ids(tab: Tab) -> None:
    assert TEST in tab("ttmatrix show alpha/")
    assert tab("ttmatrix show alpha/pytorch-tiny-single_device-t") == [TEST]
    assert tab("ttmatrix show nothing/") == []


def test_archs(tab: Tab) -> None:
    assert {"n150", "p150"} <= set(tab("ttmatrix --arch "))
    # A new arch is being typed; the existing ones are still known.
    assert "n150" in tab("ttmatrix --arch n")


def test_queries(tab: Tab) -> None:
    assert "status:" in tab("ttmatrix list st")
    assert "status:known_failure_xfail" in tab("ttmatrix list tiny status:")
    assert tab("ttmatrix list status:skip,exp") == ["status:skip,expected_passing"]
    assert tab("ttmatrix list nothing:") == []


def test_values_that_the_index_does_not_hold(tab: Tab) -> None:
    assert tab("ttmatrix list verdict:unk") == ["verdict:unknown"]


def test_views(tab: Tab) -> None:
    assert "mixed" in tab("ttmatrix list --view mi")


def test_files_where_files_are_meant(tab: Tab, tmp_path: Path) -> None:
    (tmp_path / "here" / "operations.json").write_text("[]")
    assert tab("ttmatrix apply oper") == ["operations.json"]
    assert tab("ttmatrix clusters --attach oper") == []


def test_without_a_checkout_there_is_nothing_to_offer(tab: Tab, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "here" / "tests")
    assert tab("ttmatrix show a") == []
    assert tab("ttmatrix sho") == ["show"]


def test_run_ids(tab: Tab, runnable: Checkout) -> None:
    (run,) = call("run", TEST, "--kind", "cpu", "--wait", "--json", "--repo", runnable.root).json
    assert tab("ttmatrix logs ") == tab(f"ttmatrix cancel {run['run'][:6]}") == [run["run"]]
