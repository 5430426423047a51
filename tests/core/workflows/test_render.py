# SPDX-License-Identifier: Apache-2.0
"""core.workflows.render: the report answers a reviewer's questions, and no text from outside is markup."""

from dataclasses import replace
from pathlib import Path

from core.cli.workflow_report import report_record
from core.workflows import Ask, Blocked, Progress, diff_of, markdown
from core.workflows.session import start
from tests.support.triage import LOADER, MISMATCH, NO_KERNEL, TARGET, case, edit, member, repro


def progress(tmp_path: Path, blocked: Blocked | None = None, reason: str = MISMATCH) -> Progress:
    session = start(tmp_path, "auto", case(member(TARGET, reason)))
    session.answer([repro(TARGET, NO_KERNEL)])
    if blocked is None:
        session.answer(None)
    return Progress(session, blocked)


def test_it_says_what_was_decided_and_on_what_grounds(tmp_path: Path) -> None:
    told = markdown(progress(tmp_path), "--- a/x\n+++ b/x\n")
    for part in (f"# {TARGET}", f"- loader: `{LOADER}`", MISMATCH, "- flavour: op_not_implemented", "float32: ok"):
        assert part in told
    for part in (
        "**expected-failure**",
        "## Scope",
        "KNOWN_FAILURE_XFAIL",
        "there is no device here",
        "```diff\n--- a/x",
    ):
        assert part in told


def test_it_names_the_page_of_the_model(tmp_path: Path) -> None:
    page = "https://huggingface.co/gpt2"
    session = start(tmp_path, "auto", replace(case(), pages=(page,)))
    assert f"\n- model: {page}\n" in markdown(Progress(session, None), "")
    assert list(report_record(Progress(session, None), "").pages) == [page]
    assert "- model:" not in markdown(progress(tmp_path / "b"), "")


def test_what_it_waits_for_is_laid_out(tmp_path: Path) -> None:
    asked = markdown(progress(tmp_path, Blocked(question=Ask("which?", ("near", "far")))), "")
    assert "1. near\n2. far" in asked
    assert "--choose N" in asked
    device = markdown(progress(tmp_path / "b", Blocked(command="pytest x", why="no device")), "")
    assert "Not run here: no device" in device
    assert "```sh\npytest x\n```" in device


def test_words_of_a_model_stay_on_their_line_and_carry_no_control(tmp_path: Path) -> None:
    told = markdown(progress(tmp_path, reason="x\n# not a title\x1b[31m"), "")
    assert "\n# not a title" not in told
    assert "\x1b" not in told


def test_the_diff_is_of_what_is_in_place(tmp_path: Path) -> None:
    report = progress(tmp_path).session.state.report
    assert report is not None
    assert diff_of(report) == ""
    report.edits[LOADER] = edit()
    assert diff_of(report).startswith(f"--- a/{LOADER}\n+++ b/{LOADER}\n")
