# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.plan: from an id to the exact command, without starting anything."""

import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from core.base.errors import TTMatrixError, UsageError
from core.base.settings import Profile, Settings
from core.domain.model import TEST_MODULE, Function
from core.matrix import index
from core.runs import RunSpec
from core.runs.planning import CPU_PAYLOAD, as_batch, find_interpreter, plan_again, plan_test
from core.runs.planning.kinds import PAYLOAD
from core.runs.planning.plan import plan_run
from core.sources import Checkout
from tests.support.tree import INFERENCE, LOADERS, TRAINING, sample, write_checkout

NOW = datetime(2026, 11, 21, 7, 32, 15, tzinfo=UTC)
TOKEN = "ab12cd" + "0" * 26
TINY = "alpha/pytorch-tiny-single_device-inference"
ID = "qwen/vl/pytorch-Qwen/2.5-B-single_device-training"
PREFILL = "qwen/vl/pytorch-X-llm_prefill-seq_128-batch_4-fsdp-dp-tensor_parallel-mesh_2x4-inference"
DECODE = "qwen/vl/pytorch-X-llm_decode-seq_1-batch_1-single_device-mesh_default-inference"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = Checkout(tmp_path)
    for directory in ("qwen/vl/pytorch", "bert/jax"):
        (found.models / directory).mkdir(parents=True)
        (found.models / directory / "loader.py").write_text("")
    runner = tmp_path / TEST_MODULE
    runner.parent.mkdir(parents=True)
    runner.write_text("")
    return found


def make_interpreter(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(sys.executable)
    return path


def plan(checkout: Checkout, test_id: str, settings: Settings | None = None, **more: Any) -> RunSpec:
    options = {"kind": "cpu", "runs": Path("/runs"), "now": NOW, "token": TOKEN, **more}
    return plan_run(checkout, test_id, settings or Settings(), **options)


def test_a_plan_says_everything(checkout: Checkout) -> None:
    spec = plan(checkout, ID, arch="n150")
    assert spec.argv == (
        sys.executable,
        str(CPU_PAYLOAD),
        f"--checkout={checkout.root}",
        "--loader=qwen/vl/pytorch",
        "--mode=training",
        "--variant=Qwen/2.5-B",
        f"--nonce={TOKEN}",
    )
    assert CPU_PAYLOAD.is_file()
    assert (spec.run_id, spec.created) == ("20261121-073215-ab12cd", "2026-11-21T07:32:15+00:00")
    assert (spec.function, spec.arch, spec.cwd) == (Function.TORCH, "n150", checkout.root)
    assert spec.timeout == Settings().cpu_timeout
    assert (spec.log_limit, plan(checkout, ID, Settings(log_gib=-1)).log_limit) == (2 * 2**30, 0)
    assert (spec.hang_timeout, spec.memory) == (Settings().hang_timeout, 4 * 2**30)
    assert "PYTHONPATH" not in spec.env
    assert spec.env["TTMATRIX_RUN"] == spec.run_id
    assert spec.env["PYTHONUNBUFFERED"] == "1"


@pytest.mark.parametrize(
    ("test_id", "expected"),
    [
        (DECODE, ["--variant=X", "--phase=llm_decode", "--batch-size=1"]),
        (
            PREFILL,
            [
                "--variant=X",
                "--phase=llm_prefill",
                "--seq-len=128",
                "--batch-size=4",
                "--parallelism=fsdp-dp-tensor_parallel",
            ],
        ),
        ("qwen/vl/pytorch-data_parallel-inference", ["--parallelism=data_parallel"]),
    ],
)
def test_the_parts_of_an_id_reach_the_payload(checkout: Checkout, test_id: str, expected: list[str]) -> None:
    assert list(plan(checkout, test_id).argv[5:-1]) == expected


def test_what_the_caller_gives_wins_over_the_settings(checkout: Checkout) -> None:
    settings = Settings(cpu_timeout=5, cpu_slots=0)
    assert plan(checkout, ID, settings).timeout == 5
    assert plan(checkout, ID, settings).slot_count == 1
    assert plan(checkout, ID, settings, timeout=0).timeout == 0
    assert "--batch-size=3" in plan(checkout, ID, batch_size=3).argv
    assert "--batch-size=4" in plan(checkout, PREFILL, batch_size=3).argv


@pytest.mark.parametrize(
    "test_id", ["absent/jax-single_device-inference", "a placeholder", "absent/pytorch-single_device-inference"]
)
def test_ids_without_a_loader_are_refused(checkout: Checkout, test_id: str) -> None:
    with pytest.raises(UsageError, match=test_id):
        plan(checkout, test_id)


@pytest.mark.parametrize("timeout", [-1, float("nan"), float("inf")])
def test_a_limit_that_is_none_is_refused(checkout: Checkout, timeout: float) -> None:
    with pytest.raises(UsageError, match="Not a time limit"):
        plan(checkout, ID, timeout=timeout)


def test_the_settings_interpreter_comes_first_then_the_checkouts_own(tmp_path: Path) -> None:
    assert find_interpreter(tmp_path, Settings()) == Path(sys.executable)
    hidden = make_interpreter(tmp_path / ".venv/bin/python")
    assert find_interpreter(tmp_path, Settings()) == hidden
    plain = make_interpreter(tmp_path / "venv/bin/python")
    assert find_interpreter(tmp_path, Settings()) == plain
    own = make_interpreter(tmp_path / "own/python")
    assert find_interpreter(tmp_path, Settings(python=str(own))) == own
    assert find_interpreter(tmp_path, Settings(python="own/python")) == own


def test_a_command_on_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = make_interpreter(tmp_path / "bin/python-of-mine")
    monkeypatch.setenv("PATH", str(command.parent), prepend=os.pathsep)
    assert find_interpreter(tmp_path, Settings(python="python-of-mine")) == command


def test_a_set_interpreter_that_is_missing_is_an_error(tmp_path: Path) -> None:
    make_interpreter(tmp_path / "venv/bin/python")
    (tmp_path / "text").write_text("")
    for wrong in ("/absent/python", "absent-python", str(tmp_path / "text")):
        with pytest.raises(TTMatrixError, match="No Python interpreter"):
            find_interpreter(tmp_path, Settings(python=wrong))


def test_a_planned_test_takes_the_batch_size_of_its_entry(tmp_path: Path) -> None:
    test_id = "alpha/pytorch-tiny-single_device-training"
    entry = f"test_config:\n  {test_id}:\n    batch_size: 3\n    arch_overrides:\n      n150:\n        batch_size: 5\n"
    matrix = index(write_checkout(tmp_path / "tt-xla", LOADERS, {TRAINING: entry}))
    for arch, size in (("", 3), ("p150", 3), ("n150", 5)):
        spec = plan_test(matrix, test_id, Settings(), runs=tmp_path, arch=arch)
        assert f"--batch-size={size}" in spec.argv
        assert spec.arch == (arch or None)
    plain = plan_test(matrix, "alpha/pytorch-tiny-single_device-inference", Settings(), runs=tmp_path)
    assert not [word for word in plain.argv if word.startswith("--batch-size")]
    assert plain.run_id != plan_test(matrix, plain.test_id, Settings(), runs=tmp_path).run_id


def test_a_device_run_is_the_command_people_type(checkout: Checkout) -> None:
    spec = plan(checkout, ID, kind="device", arch="n150")
    assert spec.argv == (
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "ttmatrix_payload.plugins.output",
        "-vv",
        "--durations=0",
        "--junitxml=/runs/20261121-073215-ab12cd/junit.xml",
        "--forked",
        "-p",
        "ttmatrix_payload.plugins.timing",
        "--force-run",
        "--runxfail",
        f"tests/runner/test_models.py::test_all_models_torch[{ID}]",
        "--arch",
        "n150",
    )
    assert spec.env["ENABLE_BRINGUP_STAGE_LOGGING"] == "1"
    assert spec.env["PYTHONPATH"].split(os.pathsep)[0] == str(PAYLOAD)
    assert all(
        (PAYLOAD / f"{name}.py").is_file()
        for name in ("ttmatrix_payload/plugins/output", "ttmatrix_payload/plugins/timing")
    )
    assert (spec.report, spec.slots, spec.devices) == ("junit", "device", ("*",))
    assert "--arch" not in plan(checkout, ID, kind="device").argv
    jax = plan(checkout, "bert/jax-single_device-inference", kind="device")
    assert "test_all_models_jax[bert/jax-single_device-inference]" in jax.argv[-1]


def test_a_device_run_needs_no_activated_shell(checkout: Checkout, tmp_path: Path) -> None:
    (checkout.root / "venv").mkdir()
    (checkout.root / "venv/activate").write_text('export TT_MLIR_HOME="$(pwd)/mlir"\nexport PYTHONPATH="$(pwd)/own"\n')
    for name in ("own", "tests"):
        (checkout.root / name).mkdir(exist_ok=True)
    root = checkout.root.absolute()
    for kind in ("device", "codegen_py"):
        spec = plan(checkout, ID, kind=kind)
        assert spec.env["TT_MLIR_HOME"] == f"{root}/mlir"
        assert spec.paths["PYTHONPATH"] == f"{root}:{root}/tests:{root}/own"
        assert plan_again(spec, tmp_path, index(checkout)).paths == spec.paths, "from any other shell"
    cpu = plan(checkout, ID)
    assert ("TT_MLIR_HOME" in cpu.env, cpu.paths) == (False, {})


def test_a_device_run_has_the_options_of_ci_that_this_checkout_declares(checkout: Checkout) -> None:
    (checkout.root / "tests/conftest.py").write_text(
        'parser.addoption(\n    "--log-memory",\n    "--perf-report-dir",\n)'
    )
    spec = plan(checkout, ID, kind="device")
    assert {"--log-memory", f"--perf-report-dir=/runs/{spec.run_id}/perf"} < {*spec.argv}
    assert not [word for word in spec.argv if word.startswith("--perf-id") or word in ("-s", "-sv")]
    (checkout.root / "tests/conftest.py").write_text('"--perf-report-dir" "--perf-id"')
    assert f"--perf-id={(spec := plan(checkout, ID, kind='device')).run_id}" in spec.argv


def test_tests_of_several_devices_are_not_forked_as_in_ci(checkout: Checkout) -> None:
    for id, forked in (
        (ID, True),
        ("qwen/vl/pytorch-Qwen/2.5-B-data_parallel-inference", False),
        ("bert/jax-tensor_parallel-inference", False),
        (DECODE.replace("single_device", "tensor_parallel"), True),
    ):
        assert ("--forked" in plan(checkout, id, kind="device").argv) is forked


def test_the_loggers_of_the_libraries_write_to_files_of_the_run(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A logger that writes to stdout keeps doing so, unless the person gives it a file."""
    loggers = ("TTXLA_LOGGER_FILE", "TT_LOGGER_FILE", "TTMLIR_RUNTIME_LOGGER_FILE")
    for name in loggers:
        monkeypatch.delenv(name, raising=False)
    spec = plan(checkout, ID, kind="device")
    assert [spec.env.get(name) for name in loggers] == [f"/runs/{spec.run_id}/ttxla.log", None, None]
    monkeypatch.setenv("TT_LOGGER_FILE", "/tmp/metal.txt")
    settings = Settings(profiles={"loud": Profile(environment={"TTMLIR_RUNTIME_LOGGER_FILE": "rt.log"})})
    spec = plan(checkout, ID, settings, kind="device", profile="loud")
    own = f"/runs/{spec.run_id}"
    assert [spec.env.get(name) for name in loggers] == [f"{own}/ttxla.log", f"{own}/metal.txt", f"{own}/rt.log"]
    assert "TTXLA_LOGGER_FILE" not in plan(checkout, ID, kind="cpu").env


def test_without_a_runner_in_the_checkout_ours_runs_the_test(checkout: Checkout) -> None:
    (checkout.root / TEST_MODULE).unlink()
    spec = plan(checkout, ID, Settings(backend="xla"), kind="device", arch="n150")
    assert spec.argv == (
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "ttmatrix_payload.plugins.output",
        "-vv",
        "--durations=0",
        "--junitxml=/runs/20261121-073215-ab12cd/junit.xml",
        "--forked",
        "-p",
        "ttmatrix_payload.runner",
        "--models-root=third_party/tt_forge_models",
        "--test-config=tests/runner/test_config",
        "--backend=xla",
        "--force-run",
        "--runxfail",
        f"tests/runner/test_models.py::test_all_models_torch[{ID}]",
        "--arch",
        "n150",
    )
    assert spec.env["PYTHONPATH"] == str(PAYLOAD)
    assert (PAYLOAD / "ttmatrix_payload/runner").is_dir()
    assert spec.env["ENABLE_BRINGUP_STAGE_LOGGING"] == "1"
    assert (spec.kind, spec.report, spec.slots, spec.slot_count, spec.devices) == ("device", "junit", "device", 1, ())


def test_runs_of_jax_models_leave_their_programs_among_their_files(checkout: Checkout) -> None:
    spec = plan(checkout, "bert/jax-data_parallel-inference")
    assert {"--loader=bert/jax", "--parallelism=data_parallel"} < {*spec.argv}
    assert "--programs=/runs/20261121-073215-ab12cd/ir" in spec.argv
    (checkout.root / TEST_MODULE).unlink()
    spec = plan(checkout, "bert/jax-single_device-inference", kind="device")
    assert "--serialize=/runs/20261121-073215-ab12cd/ir" in spec.argv
    assert "tests/runner/test_models.py::test_all_models_jax[bert/jax-single_device-inference]" in spec.argv


def test_a_profile_adds_to_the_command_and_knows_the_directory_of_the_run(checkout: Checkout) -> None:
    profile = Profile(
        ("--dump-irs", "--perf-report-dir={artefacts}/perf"),
        {"TT_VISIBLE_DEVICES": "0, 2", "OUT": "{artefacts}", "PYTHONUNBUFFERED": "0"},
        60.0,
    )
    settings = Settings(profiles={"irs": profile})
    spec = plan(checkout, ID, settings, kind="device", profile="irs")
    assert spec.argv[-2:] == ("--dump-irs", f"--perf-report-dir=/runs/{spec.run_id}/perf")
    assert (spec.env["OUT"], spec.env["PYTHONUNBUFFERED"]) == (f"/runs/{spec.run_id}", "0")
    assert (spec.devices, spec.timeout) == (("0", "2"), 60.0)
    assert plan(checkout, ID, settings, kind="device", profile="irs", timeout=5).timeout == 5
    with pytest.raises(UsageError, match="No profile 'x'") as caught:
        plan(checkout, ID, settings, profile="x")
    assert "irs" in caught.value.detail


def test_the_same_once_more_differs_in_names_only(checkout: Checkout) -> None:
    matrix = index(checkout)
    for kind in ("cpu", "device"):
        (first,) = as_batch([plan(checkout, ID, kind=kind)], stop_on_failure=True)
        second = plan_again(first, Path("/runs"), matrix)
        assert second.run_id != first.run_id
        assert second.nonce != first.nonce
        assert first.batch == second.parent == first.run_id
        told = " ".join([*second.argv, *second.env.values()])
        assert first.run_id not in told
        assert first.nonce not in told
        assert told.replace(second.nonce, first.nonce).replace(second.run_id, first.run_id) == " ".join(
            [*first.argv, *first.env.values()]
        )


def test_a_run_belongs_to_its_checkout_and_to_the_entry_of_then(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    first = plan_test(index(checkout), TINY, Settings(), runs=tmp_path)
    assert plan_again(first, tmp_path, index(checkout)).entry == first.entry
    with pytest.raises(UsageError, match="belongs to another checkout") as caught:
        plan_again(first, tmp_path, index(sample(tmp_path / "elsewhere")))
    assert str(checkout.root) in caught.value.hint
    linked = tmp_path / "link"
    linked.symlink_to(checkout.root)
    assert plan_again(first, tmp_path, index(Checkout(linked))).entry == first.entry
    file = checkout.test_config / INFERENCE
    file.write_text(file.read_text().replace("EXPECTED_PASSING", "UNSPECIFIED"))
    assert plan_again(first, tmp_path, index(checkout)).entry != first.entry


def test_a_batch_has_the_name_of_its_first_run(checkout: Checkout) -> None:
    specs = as_batch([plan(checkout, ID), plan(checkout, DECODE)])
    assert {spec.batch for spec in specs} == {specs[0].run_id}
    assert as_batch([]) == []
