# SPDX-License-Identifier: Apache-2.0
"""Completions for the Tab key, requested as a shell does: by environment and file descriptor 8."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.sources.checkout import Checkout
from tests.support.cli import call
from tests.support.tree import sample

pytestmark = pytest.mark.slow("a shell is started for each answer")
ROOT = Path(__file__).parents[3]
TEST = "alpha/pytorch-tiny-single_device-training"
_ASK = "import sys; from core.cli.dispatch import main; sys.exit(main([], lambda request: 3))"
_SEPARATOR = "\v"

Tab = Callable[[str], list[str]]


@pytest.fixture
def tab(tmp_path: Path) -> Tab:
    checkout = sample(tmp_path / "here")

    def press(line: str) -> list[str]:
        read, write = os.pipe()
        env = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "_ARGCOMPLETE": "1",
            "_ARGCOMPLETE_SHELL": "zsh",
            "_ARGCOMPLETE_SUPPRESS_SPACE": "1",
            "COMP_LINE": line,
            "COMP_POINT": str(len(line)),
        }
        # Like the shell code: the answer comes from descriptor 8, and other output is ignored.
        script = f"exec 8>&{write} 9>/dev/null; exec {sys.executable} -c '{_ASK}'"
        done = subprocess.run(
            ["bash", "-c", script], cwd=checkout.root, env=env, pass_fds=[write], capture_output=True, check=False
        )
        os.close(write)
        with os.fdopen(read, encoding="utf-8") as answer:
            words = answer.read().split(_SEPARATOR)
        assert (done.returncode, done.stdout) == (0, b""), done.stderr
        return [word.replace("\\:", "\0").partition(":")[0].replace("\0", ":") for word in words if word]

    return press


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
