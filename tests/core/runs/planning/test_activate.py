# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.activate: what `source venv/activate` would give, read without executing anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.runs import child_environment
from core.runs.planning.activate import activation

SCRIPT = """\
if [ -z "$TTMLIR_TOOLCHAIN_DIR" ]; then
  echo "WARNING: not set"
  export TTMLIR_TOOLCHAIN_DIR="@TOOLS@"
fi
export LD_LIBRARY_PATH=$TTMLIR_TOOLCHAIN_DIR/lib:$LD_LIBRARY_PATH
export TT_MLIR_HOME="$(pwd)/third_party/tt-mlir/"
export PYTHONPATH="$(pwd):$(pwd)/tests:$SYSTEM_DIST_PACKAGES:$(pwd)/integrations/vllm_plugin:${TT_MLIR_HOME}/build"
export TTMLIR_VENV_DIR="$(pwd)/venv"
if [ -d $TTMLIR_VENV_DIR/bin ]; then
  if [ "$VIRTUAL_ENV" != "x" ]; then
    export ONLY_SOMETIMES=1
  fi
else
  touch "$(pwd)/executed"
  export ONLY_ONCE=1
fi
export QUIET='a $b "c"'
export LEVEL="ERROR"  # a comment
export ARCH_NAME="${ARCH_NAME:-wormhole_b0}"
export MADE="$(date)"
export PATH=$TTMLIR_TOOLCHAIN_DIR/bin:${TT_MLIR_HOME}/build/bin:$PATH
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "tt-xla"
    for name in ("venv", "tests", "integrations/vllm_plugin", "third_party/tt-mlir/build/bin"):
        (root / name).mkdir(parents=True)
    for name in ("bin", "lib"):
        (tmp_path / "tools" / name).mkdir(parents=True)
    (root / "venv/activate").write_text(SCRIPT.replace("@TOOLS@", str(tmp_path / "tools")))
    return root


def activated(root: Path, environ: dict[str, str]) -> dict[str, str]:
    given = activation(root, Path("/usr/bin/python3"), environ)
    return child_environment(environ, given.env, given.paths)


@pytest.mark.parametrize(
    "environ",
    [
        {"PATH": "/usr/bin:/bin"},
        {"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": "/mine", "ARCH_NAME": "blackhole", "SYSTEM_DIST_PACKAGES": "/usr"},
        {"PATH": "/usr/bin:/bin", "TTMLIR_TOOLCHAIN_DIR": "/usr"},
    ],
)
def test_it_is_what_the_shell_makes_of_the_file(root: Path, environ: dict[str, str]) -> None:
    words = ["bash", "-c", "source venv/activate >/dev/null; env -0"]
    said = subprocess.run(words, cwd=root, env=environ, capture_output=True, text=True, check=True).stdout
    (root / "executed").unlink()
    shell = dict(one.split("=", 1) for one in said.strip("\0").split("\0"))
    found = activated(root, environ)
    assert not (root / "executed").exists()
    for name in shell.keys() - {"PWD", "SHLVL", "_", "OLDPWD", "ONLY_ONCE", "ONLY_SOMETIMES", "MADE"}:
        if name in ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH"):
            there = [os.path.normpath(one) for one in shell[name].split(":") if one and Path(one).is_dir()]
            mine = [os.path.normpath(one) for one in found[name].split(":") if Path(one).is_dir()]
            assert mine == [*dict.fromkeys(there)]
        else:
            assert (name, found[name]) == (name, shell[name])
    assert not found.keys() & {"ONLY_ONCE", "ONLY_SOMETIMES", "MADE"}


def test_what_another_checkout_has_put_there_comes_behind(root: Path) -> None:
    other = {"PYTHONPATH": "/other:/other/tests:/mine", "TT_MLIR_HOME": "/other/third_party/tt-mlir/", "LEVEL": "DEBUG"}
    found = activated(root, {"PATH": "/bin", **other})
    assert found["PYTHONPATH"].split(":")[:2] == [str(root), str(root / "tests")]
    assert found["PYTHONPATH"].endswith(":/other:/other/tests:/mine")
    assert found["TT_MLIR_HOME"] == f"{root}/third_party/tt-mlir/"
    assert found["LEVEL"] == "DEBUG", "the person's own value"
    assert activated(root, found) == found, "activated already"


@pytest.mark.parametrize("text", [None, "export PYTHONPATH=`pwd`/odd\nexport X=$(rm -rf /)", "if [ x"])
def test_without_a_readable_file_helpers_of_the_tests_are_found(root: Path, text: str | None) -> None:
    file = root / "venv/activate"
    file.unlink()
    if text is not None:
        file.write_text(text)
    found = activation(root, Path("/usr/bin/python3"), {})
    assert (found.env, found.paths) == ({}, {"PYTHONPATH": f"{root}:{root}/tests:{root}/integrations/vllm_plugin"})


def test_programs_of_the_interpreters_environment_are_found_by_name(root: Path, tmp_path: Path) -> None:
    given = activation(root, Path(sys.executable), {"PATH": "/bin"})
    assert given.env["VIRTUAL_ENV"] == sys.prefix
    assert f"{sys.prefix}/bin" in given.paths["PATH"].split(":")
