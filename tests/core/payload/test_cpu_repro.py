# SPDX-License-Identifier: Apache-2.0
"""core.payload.cpu_repro: the command line as a run calls it, its result line and its exit code."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.runs import Outcome, judge, parse_result
from core.runs.planning import CPU_PAYLOAD
from tests.core.payload.models.test_phase import HEAD

from .conftest import Repro, last_result

pytestmark = pytest.mark.slow("interpreters load torch")


def command(models: Path, *options: str, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    checkout = models.parents[1]
    argv = [sys.executable, str(CPU_PAYLOAD), f"--checkout={checkout}", "--loader=tiny/pytorch", *options]
    return subprocess.run(
        argv, cwd="/", env={**os.environ, **(environ or {})}, capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_the_script_runs_by_itself_even_with_safe_paths(models: Path) -> None:
    (models / "tiny/pytorch").mkdir(parents=True)
    (models / "tiny/pytorch/loader.py").write_text(HEAD)
    done = command(models, "--mode=training", "--nonce=cafe", environ={"PYTHONSAFEPATH": "1"})
    result = parse_result(done.stdout, "cafe")
    assert result is not None, done.stdout + done.stderr
    assert judge(done.returncode, result) is Outcome.PASS


def test_without_torch_it_says_so(models: Path, tmp_path: Path) -> None:
    (tmp_path / "shadow").mkdir()
    (tmp_path / "shadow/torch.py").write_text("raise ImportError('libfoo.so is missing')")
    done = command(models, "--mode=inference", environ={"PYTHONPATH": str(tmp_path / "shadow")})
    result = last_result(done.stdout)
    assert done.returncode == 2
    assert result
    assert (result["torch"], result["phases"], result["problem"]["kind"]) == (None, [], "no-torch")
    assert f"torch cannot be imported by {sys.executable}: libfoo.so is missing" in done.stdout


def test_a_wrong_command_line_prints_no_result(models: Path) -> None:
    done = command(models, "--mode=both")
    assert done.returncode == 2
    assert "invalid choice" in done.stderr
    assert last_result(done.stdout) is None


def test_the_result_line_says_which_torch_and_python_and_repeats_the_nonce(repro: Repro) -> None:
    result = repro(HEAD).result
    assert result
    assert (result["version"], result["nonce"], result["problem"]) == (1, "cafe", None)
    assert result["python"] == ".".join(map(str, sys.version_info[:3]))
    assert result["torch"]


def test_a_missing_loader_is_a_problem_of_the_request(repro: Repro) -> None:
    ran = repro(HEAD, "--loader=absent/pytorch")
    assert ran.code == 2
    assert ran.result
    assert ran.result["problem"]["kind"] == "no-loader"


def test_parallel_ids_run_on_one_device_and_say_so(repro: Repro) -> None:
    ran = repro(HEAD, "--parallelism=fsdp-dp-tensor_parallel")
    assert ran.code == 0
    assert "fsdp-dp-tensor_parallel is left out: everything runs on one CPU device." in ran.output


def test_the_result_line_is_alone_whatever_the_model_does_to_stdout(repro: Repro) -> None:
    noise = (
        "import io, sys\nprint('TTMATRIX-RESULT {}'); print('50%', end='', flush=True)\nsys.stdout = io.StringIO()\n"
    )
    ran = repro(noise + HEAD)
    assert ran.result
    assert ran.result["nonce"] == "cafe"
    assert ran.code == 0
