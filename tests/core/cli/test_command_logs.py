# SPDX-License-Identifier: Apache-2.0
"""`logs`: what a run printed, and with -f until it ends."""

from pathlib import Path

from core.base.settings import paths
from core.cli.command_logs import first_new
from core.runs.log import LogFile, LogLimit
from core.runs.store import RunStore
from core.sources import Checkout
from tests.support.cli import call

PASSES = "alpha/pytorch-tiny-single_device-training"


def _run(runnable: Checkout) -> str:
    (record,) = call("run", PASSES, "--kind", "cpu", "--json", "--repo", runnable.root).json
    return str(record["run"])


def test_follow_ends_with_the_run(runnable: Checkout) -> None:
    called = call("logs", _run(runnable), "-f")
    lines = called.out.splitlines()
    assert lines[0] == "loading the model"
    assert lines[-1].startswith("TTMATRIX-RESULT ")
    assert len(lines) == 2


def test_a_prefix_is_enough_and_json_has_the_lines(runnable: Checkout) -> None:
    run = _run(runnable)
    call("logs", run, "-f")
    document = call("logs", run[:-2], "--json").json
    assert document["run"] == run
    assert document["lines"][0] == "loading the model"


def test_json_with_follow_is_the_whole_log(runnable: Checkout) -> None:
    document = call("logs", _run(runnable), "-f", "--json").json
    assert document["lines"][-1].startswith("TTMATRIX-RESULT ")


def test_files_that_a_run_saved_are_named_and_shown(runnable: Checkout) -> None:
    run = _run(runnable)
    log = Path(call("logs", run, "-f", "--json").json["log"])
    assert call("logs", run, "--artefacts", "--json").json == {"run": run, "artefacts": []}
    (log.parent / "ir").mkdir()
    (log.parent / "ir/forward.stablehlo.mlir").write_text("module @main {\n}\n\x1b[31m")
    assert call("logs", run, "--artefacts").out == "ir/forward.stablehlo.mlir\n"
    shown = call("logs", run, "--artefact", "ir/forward.stablehlo.mlir").out
    assert shown.startswith("module @main {\n}\n")
    assert "\x1b" not in shown
    assert call("logs", run, "--artefact", "spec.json").code == 64
    assert call("logs", run, "--artefact", "../../secret").code == 64


def test_an_unknown_run_is_64() -> None:
    assert call("logs", "20260101-000000-abcdef").code == 64


def test_two_logs_of_a_test_are_compared(runnable: Checkout) -> None:
    one, other = _run(runnable), _run(runnable)
    for run in (one, other):
        call("logs", run, "-f")
    same = call("logs", one, "--compare", other, "--json")
    assert (same.code, same.json) == (0, {"runs": [one, other], "diff": []})
    log = RunStore(paths().runs).record(other).log
    log.write_text(log.read_text() + "TT_FATAL: more\x1b[2J\n")
    differs = call("logs", one, "--compare", other)
    assert differs.code == 1
    assert differs.out.splitlines()[-1] == "+TT_FATAL: more"


def test_a_log_that_was_cut_goes_on_behind_what_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("".join(f"line {number:06d}\n" for number in range(30_000)))
    limit = LogLimit(file, 100_000)
    assert limit.enforce()
    log = LogFile(file)
    while log.poll():
        pass
    assert log.lines(first_new(log, ["line 029000", "line 029001"]), 1) == ["line 029002"]
    # These are gone.
    assert log.lines(first_new(log, ["line 010000", "line 010001"]), 1)[0].startswith("... ttmatrix left out")
    file.write_text("another log\n")
    while log.poll():
        pass
    assert first_new(log, ["line 029001"]) == 0
