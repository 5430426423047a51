# SPDX-License-Identifier: Apache-2.0
"""`completion`: the code for each shell."""

import json
import subprocess

import pytest

from tests.support.cli import call


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_code_for_a_shell_asks_ttmatrix(shell: str) -> None:
    called = call("completion", shell)
    assert called.code == 0
    assert "_ARGCOMPLETE" in called.out and "ttmatrix" in called.out
    assert json.loads(call("completion", shell, "--json").out) == {"shell": shell, "code": called.out}


def test_bash_takes_the_code() -> None:
    code = call("completion", "bash").out
    done = subprocess.run(["bash", "-c", f"{code}\ncomplete -p ttmatrix"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "_python_argcomplete" in done.stdout


def test_a_shell_that_is_not_known_is_64() -> None:
    assert call("completion", "cmd").code == 64
