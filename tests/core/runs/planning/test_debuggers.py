# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.plan: which profiles wait for somebody to type, and what a debugger sees."""

import shutil
import subprocess
import sys
from dataclasses import replace

import pytest

from core.base.errors import UsageError
from core.runs import is_debugger
from core.runs.planning.plan import with_debugger
from tests.core.runs.store.test_record import SPEC

BATCH = ("gdb", "-batch", "-ex", "run", "-ex", "bt", "--args")
PYTEST = ("python", "-m", "pytest", "--forked", "x")
RUN = replace(SPEC, argv=PYTEST, profile="mine", env={"A": "1", "TTMATRIX_RUN": "r"})


@pytest.mark.parametrize(
    "word", ["gdb", "/opt/bin/gdb", "lldb", "lldb-18", "x86_64-linux-gnu-gdb", "cuda-gdb", "rust-gdb"]
)
def test_debuggers(word: str) -> None:
    assert is_debugger(word)


@pytest.mark.parametrize("word", ["perf", "gdbserver", "strace", "-gdb", "python", "gdbm"])
def test_other_programs(word: str) -> None:
    assert not is_debugger(word)


@pytest.mark.parametrize(
    "prefix", [BATCH, ("sudo", *BATCH), ("lldb", "--batch", "-o", "run", "--"), ("tmux", "new", "gdb")]
)
def test_a_debugger_has_no_fork_between_itself_and_the_test(prefix: tuple[str, ...]) -> None:
    spec = with_debugger(replace(RUN, prefix=prefix), {})
    assert (spec.prefix, spec.argv) == (prefix, ("python", "-m", "pytest", "x"))


@pytest.mark.parametrize("prefix", [(), ("perf", "record"), ("gdbserver", ":1")])
def test_other_prefixes_leave_it_to_pytest(prefix: tuple[str, ...]) -> None:
    assert with_debugger(replace(RUN, prefix=prefix), {}).argv == PYTEST


@pytest.mark.parametrize(
    ("changes", "environ", "name"),
    [
        ({"prefix": ("gdb", "--args")}, {}, "gdb"),
        ({"prefix": ("gdb", "-q", "-ex", "run", "--args")}, {}, "gdb"),
        ({"prefix": ("/usr/bin/lldb", "--")}, {}, "lldb"),
        ({"prefix": ("python", "-m", "pdb")}, {}, "pdb"),
        ({"argv": (*PYTEST, "--pdb")}, {}, "--pdb"),
        ({"argv": (*PYTEST, "--trace")}, {}, "--trace"),
        ({"env": {"PYTEST_ADDOPTS": "-v --pdb"}}, {}, "--pdb"),
        ({}, {"PYTEST_ADDOPTS": "--pdb 'x"}, "--pdb"),
    ],
)
def test_who_reads_from_a_terminal_is_refused_with_what_works(
    changes: dict[str, object], environ: dict[str, str], name: str
) -> None:
    with pytest.raises(UsageError, match=f"Profile 'mine': {name} reads from a terminal") as caught:
        with_debugger(replace(RUN, **changes), environ)  # type: ignore[arg-type]
    assert caught.value.hint.startswith("In a terminal: cd / && ")
    assert "--forked" not in caught.value.hint and "TTMATRIX_RUN" not in caught.value.hint


@pytest.mark.skipif(shutil.which("gdb") is None, reason="needs gdb")
def test_gdb_of_the_documented_profile_sees_the_stack() -> None:
    crash = (sys.executable, "-c", "import os; os.abort()")
    said = subprocess.run([*BATCH, *crash], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert "#0 " in said.stdout
    assert "received signal SIGABRT" in said.stdout
