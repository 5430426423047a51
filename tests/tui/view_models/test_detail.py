# SPDX-License-Identifier: Apache-2.0
"""The detail panel's text."""

from dataclasses import replace
from pathlib import Path

from rich.console import Console

from core.evidence import Ending, Origin, drifts_of
from core.evidence.verdicts import Judgement, Verdict
from core.matrix import describe, index
from core.runs import Age, Outcome
from core.runs.store import Finished
from core.sources import read_lacking
from core.sources.downloads import Fetched, HubName
from tests.support.evidence import seen
from tests.support.git import committed_checkout
from tests.support.tree import INFERENCE, LOADERS, sample, write_checkout
from tests.tui.view_models.test_runs import record
from tui.view_models import detail_text, group_text
from tui.view_models.courses import course_text
from tui.view_models.evidence import course_cells, strip_cells

NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"


def test_values_are_grouped_by_arch(tmp_path: Path) -> None:
    text = detail_text(describe(index(sample(tmp_path)), NET), []).plain
    assert "status          KNOWN_FAILURE_XFAIL  override · n150\n" in text
    assert "status          EXPECTED_PASSING  entry · n300-llmbox\n" in text
    assert "supported_archs n150, n300-llmbox  entry · all its archs\n" in text
    assert "other entries of this loader: 4" in text


def test_a_long_name_moves_all_values(tmp_path: Path) -> None:
    entry = "    status: EXPECTED_PASSING\n    enable_weight_bfp8_conversion: true\n"
    matrix = index(write_checkout(tmp_path, LOADERS, {INFERENCE: f"test_config:\n  {NET}:\n{entry}"}))
    lines = detail_text(describe(matrix, NET), []).plain.splitlines()
    known = lines[lines.index("effective") + 1 : lines.index("scheduled CI jobs: …") - 1]
    (long,) = [line for line in known if line.startswith("enable_weight_bfp8_conversion ")]
    column = long.index("true")
    assert len(known) == 3
    assert all(line[column - 1] == " " and line[column] != " " for line in known)


def test_an_entry_that_the_work_tree_lacks_is_not_none(tmp_path: Path) -> None:
    checkout = committed_checkout(sample(tmp_path))
    (checkout.test_config / INFERENCE).unlink()
    text = detail_text(describe(index(checkout), NET), [], (), lacking=read_lacking(checkout)).plain
    assert "entry and CI jobs not known" in text
    assert f"{INFERENCE} is deleted; git -C {checkout.root} restore" in text
    assert "no entry" not in text and "UNSPECIFIED" not in text and "no scheduled job" not in text


def test_a_test_without_entry_or_loader(tmp_path: Path) -> None:
    matrix = index(
        write_checkout(tmp_path, LOADERS, {INFERENCE: "test_config:\n  odd key:\n    status: EXPECTED_PASSING\n"})
    )
    assert "no entry" in detail_text(describe(matrix, "delta/pytorch-single_device-inference"), []).plain
    assert "no loader generates this id" in detail_text(describe(matrix, "odd key"), []).plain


def test_a_dead_override_is_pointed_out(tmp_path: Path) -> None:
    entry = "    status: EXPECTED_PASSING\n    arch_overrides:\n      n300:\n        status: KNOWN_FAILURE_XFAIL\n"
    matrix = index(write_checkout(tmp_path, LOADERS, {INFERENCE: f"test_config:\n  {NET}:\n{entry}"}))
    assert "overrides for n300 have no effect" in detail_text(describe(matrix, NET), []).plain


def test_markup_and_controls_stay_text(tmp_path: Path) -> None:
    entry = '    status: EXPECTED_PASSING\n    reason: "[bold]x[/] \\e[2J"\n'
    matrix = index(write_checkout(tmp_path, LOADERS, {INFERENCE: f"test_config:\n  {NET}:\n{entry}"}))
    text = detail_text(describe(matrix, NET), []).plain
    assert "[bold]x[/]" in text
    assert "\x1b" not in text


def test_jobs_once_they_are_known(tmp_path: Path) -> None:
    detail = describe(index(sample(tmp_path)), NET)
    assert "scheduled CI jobs: …" in detail_text(detail, []).plain
    assert "scheduled CI jobs: 1\nnightly on n150\n" in detail_text(detail, [], ["nightly on n150"]).plain
    assert "no scheduled job selects this test" in detail_text(detail, [], []).plain


def test_what_it_downloads_once_that_is_known(tmp_path: Path) -> None:
    detail = describe(index(sample(tmp_path)), NET)
    assert "Reading what it downloads" in detail_text(detail, []).plain
    known = Fetched((HubName("model", "org/name"),), (), ("https://example.org/a.pt", ""), ("alpha/src/net.py:12",))
    text = detail_text(detail, [], fetched=known).plain
    assert "model org/name  " in text and "\nfile https://example.org/a.pt\n" in text
    assert "a download named at run time: alpha/src/net.py:12\n" in text
    assert "Reading" not in text and "file \n" not in text


def test_pcc_and_time_are_bars_below_the_letters_of_their_results() -> None:
    rows = [
        seen(pcc=0.99, seconds=10.0, when=1.0),
        seen(Ending.INACCURATE, pcc=0.5, seconds=None, when=2.0),
        seen(Ending.CRASHED, pcc=None, seconds=24.0, when=3.0),
        seen(pcc=0.99, seconds=17.0, when=4.0, origin=Origin.HERE),
    ]
    assert ["".join(cell.text for cell in line) for line in course_cells("n150", rows)] == [
        "pcc  █▁  █ .5000 to .9900",
        "time ▁ █ ▅ 10.0s to 24.0s",
    ]
    assert "".join(cell.text for cell in strip_cells("n150", rows)).startswith("n150 PiC+P 2/4")
    assert course_cells("n150", rows[2:3]) == []
    same = course_cells("n150", [seen(seconds=3.0), seen(seconds=3.0)])
    assert ["".join(cell.text for cell in line) for line in same] == ["time ▄▄ 3.0s"]


def test_a_row_has_the_numbers_of_its_strip() -> None:
    rows = [seen(pcc=0.99, seconds=10.0, when=1.0), seen(Ending.CRASHED, pcc=None, seconds=24.0, when=2.0)]
    assert course_text(rows, "time") == "▁█ 24.0s"
    assert course_text(rows, "pcc") == "", "a single number has no course"
    rows.append(seen(pcc=0.9812, seconds=None, when=3.0))
    assert course_text(rows, "pcc", strip=6) == "   █ ▁ .9812"


def test_the_drift_over_all_results_is_below_the_newest_ones(tmp_path: Path) -> None:
    rows = [seen(pcc=0.99 - at / 1000, when=at * 86400.0) for at in range(1, 41)]
    judged = [Judgement(NET, "n150", Verdict.ACTIVE, "as expected", rows=tuple(rows[-12:]))]
    text = detail_text(
        describe(index(sample(tmp_path)), NET), [], judged=judged, drifts=drifts_of({"n150": rows})
    ).plain
    (line,) = [line for line in text.splitlines() if line.startswith("all ")]
    assert line.endswith("in 40 results since 1970-01-02") and "█" in line and "▁" in line
    shown = detail_text(describe(index(sample(tmp_path)), NET), [], judged=judged, drifts=drifts_of({"n150": rows[:2]}))
    assert not [line for line in shown.plain.splitlines() if line.startswith("all ")]


def test_runs_here_are_in_columns_and_no_line_hangs(tmp_path: Path) -> None:
    ended = Finished(9.0, Outcome.PASS, 3.0)
    cpu, device, hung = (
        record("1", ended, kind="cpu"),
        record("2", replace(ended, seconds=130.0), kind="device"),
        record("3", replace(ended, outcome=Outcome.CRASH), kind="cpu"),
    )
    ages = {name: Age("tree not recorded", "~") for name in "12"}
    detail = describe(index(sample(tmp_path)), NET)
    lines = detail_text(detail, [cpu, device, hung], (), ages=ages).plain.splitlines()
    at = lines.index("runs here")
    assert lines[at + 1 : at + 4] == [
        "1  cpu     pass~   3.0s  tree not recorded",
        "2  device  pass~   2m10  tree not recorded",
        "3  cpu     CRASH   3.0s  ended and left no result",
    ]


def test_a_group_shows_its_ids_whole() -> None:
    long = "llama/causal_lm/pytorch-3.1_8B_Instruct-llm_prefill-seq_2048-batch_4-single_device-mesh_default-inference"
    lines = [line.plain for line in group_text("llama", [long]).wrap(Console(), 60)]
    assert "".join(lines[3:]) == long
