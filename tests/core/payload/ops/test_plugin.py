# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.plugin: whole sessions of pytest, with kernels that are wrong, crash and hang."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from core.runs import Outcome
from tests.support.models import xla_python
from tests.support.warm_pytest import Session, warm_pytest

from .sessions import PAYLOAD, STATUSES, WRONG, Directory, Done

pytest.importorskip("torch")

PLANT = ("--ops-import=planted", "--compile-backend=eager", "--case-timeout=10")
SMALL = """
model: small
cases:
  - {name: torch.add.1, op: torch.add, dtype: fp32, inputs: [{tensor: {shape: [3]}}, {value: 1.0}], marks: [own]}
  - {name: torch.add_.1, op: torch.add_, inputs: [{tensor: {shape: [3]}}, {value: 1.0}], marks: constant}
"""
OTHER = SMALL.replace("model: small", "model: vendor/other-1.5")


@pytest.fixture(scope="module")
def session(warm_torch: Path) -> Iterator[Session]:
    """Sessions whose case processes have torch loaded."""
    with warm_pytest(warm_torch) as run:
        yield run


@pytest.fixture
def directory(tmp_path: Path, session: Session) -> Directory:
    return Directory(tmp_path, session)


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory, session: Session) -> tuple[Directory, Done]:
    """A session with every status."""
    directory = Directory(tmp_path_factory.mktemp("wrong"), session)
    directory.write("wrong.yaml", WRONG)
    return directory, directory.run(*PLANT, "wrong.yaml", "--show-skipped")


def test_every_case_has_its_status(wrong: tuple[Directory, Done]) -> None:
    """Crashes and hangs are results; the cases after them run."""
    done = wrong[1]
    assert {one["name"]: one["status"] for one in done.results.values()} == STATUSES, done.output
    assert done.code == 1
    assert "wrong::skipped: not here" in done.output
    assert "2 pass, 4 fail, 1 error(ref), 3 build-error, 1 skip, 2 xfail, 2 xpass, 2 dup, 1 crash, 1 timeout, 1 not-an-op" in done.output  # fmt: skip


def test_outcomes_of_pytest_say_the_same(wrong: tuple[Directory, Done]) -> None:
    """A case that cannot run is an error, not a failure: it says nothing about the backend."""
    outcomes: dict[Outcome, set[str]] = {}
    for case in wrong[1].cases.values():
        outcomes.setdefault(case.outcome, set()).add(case.name)
    failed = {"two_percent", "crash", "hang", "wrong_dtype", "wrong_device", "nothing_written"}
    assert outcomes[Outcome.FAIL] == failed
    assert outcomes[Outcome.ERROR] == {"unknown", "too_large", "no_reference", "mistake"}
    assert outcomes[Outcome.PASS] == {"right", "after_crash", "unexpected", "strict"}
    assert sum(map(len, outcomes.values())) == len(STATUSES)


def test_failures_say_what_differs_and_where_it_is_written(wrong: tuple[Directory, Done]) -> None:
    directory, done = wrong
    text = done.cases["wrong::two_percent"].text
    assert "torch.sigmoid: output: 1 of 30 elements differ (3.33 %), by 0.0" in text
    assert f"{directory.root}/wrong.yaml:6: dtype float32, seed 3, rtol 0.005, atol 0.005\nmodel.py:7" in text
    assert "was killed by SIGKILL" in done.results["wrong::crash"]["message"]
    assert "the stage was: test" in done.results["wrong::hang"]["message"]
    assert "wrong.yaml:22:55: unknown key 'shap'" in done.results["wrong::mistake"]["message"]
    assert "output is float64, the reference float32" in done.results["wrong::wrong_dtype"]["message"]
    assert "output is on meta, not on cpu" in done.results["wrong::wrong_device"]["message"]
    assert done.results["wrong::nothing_written"]["message"].startswith("input 0, afterwards: 30 of 30 elements")


def test_details_are_properties_of_the_report(wrong: tuple[Directory, Done]) -> None:
    properties = wrong[1].cases["wrong::two_percent"].properties
    wanted = {
        "op": "torch.sigmoid",
        "model": "wrong",
        "status": "fail",
        "backend": "eager",
        "device": "cpu",
        "seed": "3",
    }
    assert wanted.items() <= properties.items()
    assert float(properties["max_rel"]) == pytest.approx(0.02, rel=1e-3)
    assert {"pcc", "max_abs", "run_seconds", "eager_seconds", "torch", "rule", "line"} <= properties.keys()
    assert wrong[1].cases["wrong::twice"].properties["dup_of"] == "wrong::after_crash"


def test_a_duplicate_takes_the_verdict_of_the_first(wrong: tuple[Directory, Done]) -> None:
    """The stricter tolerance counts for both."""
    results = wrong[1].results
    assert (results["wrong::twice"]["dup_of"], results["wrong::twice"]["verdict"]) == ("wrong::after_crash", "pass")
    assert results["wrong::after_crash"]["rtol"] == 0.25
    assert results["wrong::twice"]["key"] == results["wrong::after_crash"]["key"]
    assert results["wrong::fails_twice"]["verdict"] == "fail"


def test_xdist_comes_to_the_same(wrong: tuple[Directory, Done], warm_torch: Path) -> None:
    directory, alone = wrong

    def process(argv: list[str], cwd: Path, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """A process of its own: workers get the import path that xdist found when it was imported."""
        command = [str(warm_torch), "-m", "pytest", *argv]
        return subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True)

    spread = Directory(directory.root, process).run(*PLANT, "wrong.yaml", "-n2", "--basetemp=workers")

    def told(done: Done) -> dict[str, object]:
        return {
            id: (one["status"], one["verdict"], one.get("dup_of"), one["max_abs"]) for id, one in done.results.items()
        }

    assert told(spread) == told(alone), spread.output
    assert spread.code == 1


def test_models_and_ids_select(directory: Directory) -> None:
    directory.write("a.yaml", SMALL)
    directory.write("b.yml", OTHER)
    directory.write("template.yaml", SMALL.replace("small", "template"))
    directory.write("config.yaml", "test_config: {}\n")
    (directory.root / "test_other.py").write_text("def test_it(): pass\n")

    def ids(*arguments: str) -> list[str]:
        done = directory.run("--collect-only", "-q", *arguments)
        assert done.code == 0, done.output
        return [line for line in done.output.splitlines() if "::" in line]

    small = ["small::torch.add.1", "small::torch.add_.1"]
    other = ["vendor/other-1.5::torch.add.1", "vendor/other-1.5::torch.add_.1"]
    assert ids() == [*small, *other, "test_other.py::test_it"], "what has no cases is no manifest"
    (directory.root / "config.yaml").unlink()
    assert ids("--ops-dir=.") == small + other
    assert ids("b.yml") == other
    assert ids("b.yml::torch.add_.1") == other[1:]
    assert ids("--ops-dir=.", "--model=small") == small
    assert ids("--ops-dir=.", "--model=small", "--model=vendor/other-1.5") == small + other
    assert ids("--ops-dir=.", small[1], other[0]) == [small[1], other[0]]
    assert ids("--ops-dir=.", "--test-name=add_") == [small[1], other[1]]
    assert ids("--ops-dir=.", "-k", "torch.add_ and small") == small[1:]
    assert ids("--ops-dir=.", "-m", "constant and not model_small") == other[1:]
    assert ids("--ops-dir=.", "-m", "own", "--strict-markers") == [small[0], other[0]]
    assert len(ids("--ops-dir=.", "--include-template")) == 6


@pytest.mark.parametrize(
    "named", [("a.yaml", "b.yaml"), ("b.yaml", "a.yaml", "b.yaml"), ("a.yaml", "."), (".", "a.yaml")]
)
def test_every_file_that_is_named_runs_and_runs_once(directory: Directory, named: tuple[str, ...]) -> None:
    directory.write("a.yaml", SMALL)
    directory.write("b.yaml", OTHER)
    done = directory.run("--compile-backend=eager", *named, "--list-cases")
    listed = [line.partition("  ")[0] for line in done.output.splitlines() if "::torch.add" in line]
    assert len(listed) == len(set(listed)) == 4, done.output


def test_a_second_file_with_the_same_id_has_its_name_in_it(directory: Directory) -> None:
    directory.write("a.yaml", SMALL)
    directory.write("b.yaml", SMALL)
    done = directory.run("--ops-dir=.", "--collect-only", "-q")
    assert "small::torch.add.1::b.yaml" in done.output


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("--ops-dir=nowhere",), "--ops-dir: there is no directory"),
        (("--ops-dir=.", "--model=smal"), "--model: there is no model smal; there are small"),
        (("--ops-dir=.", "small::torch.add.2"), "not found: small::torch.add.2; closest: small::torch.add.1"),
        (("--max-bytes=much", "--ops-dir=."), "'much' is not a size such as 512M or 2G"),
        (("--case-timeout=0", "--ops-dir=."), "must be more than 0 seconds"),
        (("--ops-root=nowhere", "--ops-dir=."), "--ops-root: there is no directory"),
        (("--ops-dir=.", "--compile-backend=eager", "--test-device=nosuch"), "there is no device nosuch"),
    ],
)
def test_mistakes_on_the_command_line_end_the_session(
    directory: Directory, arguments: tuple[str, ...], text: str
) -> None:
    directory.write("a.yaml", SMALL)
    done = directory.run(*arguments)
    assert done.code == 4, done.output
    assert text in done.output


@pytest.mark.parametrize("spread", [(), ("-n1",)])
def test_a_file_that_cannot_be_read_is_shown_with_the_lines_around(
    directory: Directory, spread: tuple[str, ...]
) -> None:
    directory.write("a.yaml", "model: m\ncases:\n  - name: x\n    op: [\n  - name: y\n    op: torch.add\n")
    done = directory.run("--ops-dir=.", *spread)
    assert done.code == 4, done.output
    assert "a.yaml:5:" in done.output
    assert ">     5 |   - name: y\n" in done.output
    assert "      3 |   - name: x\n" in done.output


def test_lists_are_printed_in_place_of_a_run(directory: Directory) -> None:
    path = directory.write("a.yaml", SMALL.replace("marks: [own]", "skip_if: dtype_str == 'float32'"))
    done = directory.run("--ops-dir=.", "--list-models", "-n2")
    assert (done.code, f"small: 2 cases  ({path})" in done.output) == (0, True), done.output
    done = directory.run("--ops-dir=.", "--list-cases")
    assert f"small::torch.add_.1::torch.add_  ({path})\n" in done.output
    assert f"small::torch.add.1::torch.add  ({path})  [skip: dtype_str == 'float32']\n" in done.output
    done = directory.run("--ops-dir=.", "--list-cases-by-mark")
    assert f"constant: 1\n  small::torch.add_.1::torch.add_  ({path})\n" in done.output
    assert "without a mark: 1\n" in done.output
    done = directory.run("--ops-dir=.", "--list-cases-by-mark=constant", "--show-excluded")
    assert "excluded: 1\n  small::torch.add.1::" in done.output
    assert done.results == {}


def test_the_environment_names_a_backend_and_conditions_see_it(directory: Directory) -> None:
    directory.write("a.yaml", SMALL.replace("marks: [own]", "skip_if: cfg.compile_backend == 'aot_eager'"))
    done = directory.run("--ops-dir=.", "--list-cases", environ={"TEST_COMPILE_BACKEND": "aot_eager"})
    assert "[skip: cfg.compile_backend" in done.output
    done = directory.run(
        "--ops-dir=.", "--list-cases", "--compile-backend=eager", environ={"TEST_COMPILE_BACKEND": "aot_eager"}
    )
    assert "[skip:" not in done.output
    assert "ops: backend eager" in done.output


def test_what_is_not_selected_or_is_skipped_represents_nothing(directory: Directory) -> None:
    """Duplicates are looked for among the cases that run."""
    directory.write("a.yaml", SMALL.replace("marks: [own]", "skip_if: model == 'small'"))
    directory.write("b.yaml", OTHER)
    done = directory.run("--ops-dir=.", "--list-cases")
    assert "vendor/other-1.5::torch.add_.1::torch.add_" in done.output
    assert done.output.count("[dup of small::torch.add_.1]") == done.output.count("[dup of") == 1
    assert "[dup of" not in directory.run("--ops-dir=.", "--list-cases", "--no-dedupe").output
    assert "[dup of" not in directory.run("--ops-dir=.", "--list-cases", "--model=vendor/other-1.5").output


def test_files_are_read_below_the_root_alone(directory: Directory) -> None:
    import torch

    (directory.root / "inner").mkdir()
    torch.save(torch.ones(3), directory.root / "inner/ones.pt")
    case = "cases: [{name: n, op: torch.neg, inputs: [{file: ones.pt}]}]\n"
    directory.write("inner/a.yaml", case)
    done = directory.run("--ops-dir=inner", "--compile-backend=eager")
    assert done.results["a::n"]["status"] == "pass", done.output


TEMPLATE = Path("shared/data/ops/template.yaml")


@pytest.fixture(scope="session")
def template() -> Path:
    """The sample of the RFC, if it has been downloaded."""
    found = [above / TEMPLATE for above in Path(__file__).parents if (above / TEMPLATE).is_file()]
    if not found:
        pytest.skip("the template is not here")
    return found[0]


def _check_template(done: Done, *failing: str) -> None:
    statuses = {one["name"]: one["status"] for one in done.results.values()}
    assert len(statuses) == 13, done.output
    failed = {name for name, status in statuses.items() if status != "pass"}
    assert failed == {"view_should_error_on_noncontig_167", *failing}, done.output
    assert {statuses[name] for name in failed} == {"fail"}
    wanted = "reference: raised RuntimeError: shape '[32, -1, 2880]' is invalid for input of size 48"
    assert done.results["template::view_should_error_on_noncontig_167"]["message"].startswith(wanted)


def test_the_template_runs_on_eager(directory: Directory, template: Path) -> None:
    """One case expects a text that its error does not have."""
    _check_template(directory.run(str(template), "--compile-backend=eager"))


@pytest.mark.slow("compiles with the C++ compiler of the machine")
@pytest.mark.parametrize("backend", ["inductor", "aot_eager"])
def test_the_template_runs_compiled(directory: Directory, template: Path, backend: str) -> None:
    done = directory.run(str(template), environ={"TEST_COMPILE_BACKEND": backend})
    _check_template(done)
    assert done.results["template::add_basic"]["seconds"]["compile"] > 0


@pytest.mark.xla
def test_the_template_runs_on_torch_xla(tmp_path: Path, template: Path) -> None:
    """Its devices have no strides, so a view that must fail on the host succeeds."""

    def session(argv: list[str], cwd: Path, environ: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        command = [str(xla_python()), "-m", "pytest", *argv]
        return subprocess.run(command, cwd=cwd, env={**environ, "PJRT_DEVICE": "CPU"}, capture_output=True, text=True)

    done = Directory(tmp_path, session).run(str(template), "--compile-backend=xla")
    _check_template(done, "view_should_error_on_noncontig")
    assert done.results["template::softmax_lastdim"]["device"] == "xla"


def test_pytest_itself_does_not_import_torch(directory: Directory) -> None:
    directory.write("a.yaml", SMALL)
    (directory.root / "conftest.py").write_text(
        "import sys\ndef pytest_unconfigure():\n    assert 'torch' not in sys.modules\n    print('no torch', file=sys.__stdout__)\n"
    )
    done = directory.run("--ops-dir=.", "--compile-backend=eager")
    assert [one["status"] for one in done.results.values()] == ["pass", "pass"], done.output
    assert "no torch" in done.output


def test_a_device_that_is_not_here_is_said_once_also_by_xdist(wrong: tuple[Directory, Done], warm_torch: Path) -> None:
    directory, _ = wrong
    command = [
        str(warm_torch),
        "-m",
        "pytest",
        "-p",
        "ttmatrix_payload.ops.plugin",
        "wrong.yaml",
        "--compile-backend",
        "tt",
        "-n2",
    ]
    environ = {**os.environ, "PYTHONPATH": str(PAYLOAD)}
    done = subprocess.run(command, cwd=directory.root, env=environ, capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert done.stderr.count("The backend tt cannot work here") == 1 and "activate tt-xla's environment" in done.stderr
