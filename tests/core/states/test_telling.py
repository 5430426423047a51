# SPDX-License-Identifier: Apache-2.0
"""core.states.telling and expectations: what a reviewer reads without opening a file."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.sources import Checkout
from core.states import (
    Difference,
    Item,
    States,
    alike,
    check_against,
    difference,
    entry_words,
    read_base,
    sections,
    status_words,
)
from tests.support.cli import call
from tests.support.git import git
from tests.support.states import JOB, MODELS, PRESET, commit, states_of, with_submodule, write
from tests.support.tree import INFERENCE, loader_source
from tui.view_models import StateRow, state_rows

CONFIG = f"tests/runner/test_config/{INFERENCE}"
LOADER = f"{MODELS}/alpha/pytorch/loader.py"
TINY = "alpha/pytorch-tiny-single_device-inference"
MORE = "alpha/pytorch-more-single_device-inference"
ON_BOTH = """\
    supported_archs: [n150, p150]
    status: EXPECTED_PASSING
    required_pcc: 0.97
    reason: "slow"
    markers: [push]
    arch_overrides:
      p150:
        status: KNOWN_FAILURE_XFAIL
        reason: "wrong"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return with_submodule(tmp_path / "tt-xla")


def between(checkout: Checkout, texts: Mapping[str, str | None], *more: Mapping[str, str | None]) -> Difference:
    """What the last of some commits changes."""
    for one in (texts, *more):
        commit(checkout, "next", one)
    states = states_of(checkout, checkout.root.parent / "cache")
    return difference(states.at("HEAD~1"), states.at("HEAD"))


def section(found: Difference, title: str) -> tuple[Item, ...]:
    return next(one.items for one in sections(found) if one.title == title)


def rows(found: Difference, id: str) -> list[StateRow]:
    return [one for one in state_rows(found, MODELS) if one.name == id]


def with_entry(checkout: Checkout, id: str, fields: str) -> str:
    return f"{(checkout.root / CONFIG).read_text()}  {id}:\n{fields}"


def test_an_added_entry_says_what_it_expects_on_each_arch(checkout: Checkout) -> None:
    texts = {CONFIG: with_entry(checkout, MORE, ON_BOTH), LOADER: loader_source(["tiny", "more"])}
    found = between(checkout, {LOADER: loader_source(["tiny"])}, texts)
    (item,) = section(found, "1 entry added")
    expected = "EXPECTED_PASSING on n150; KNOWN_FAILURE_XFAIL on p150"
    said = f"{expected}, required_pcc: 0.97, reason: slow, markers: push, reason on p150: wrong"
    assert item == Item(said, (MORE,))
    by_status = {one.text: one.names for one in section(found, "6 tests added")}
    assert by_status[f"alpha/pytorch: 1 test of more, {expected}"] == (MORE,)
    assert len(by_status["alpha/pytorch: 5 tests of more, without entry, UNSPECIFIED on n150, p150"]) == 5

    (row,) = rows(found, MORE)
    assert row.what == f"entry added: {expected}"
    assert row.details[:4] == (expected, "required_pcc: 0.97", "reason: slow", "markers: push")
    assert row.files == (CONFIG, LOADER), "the lines of its entry, then those of its loader"
    (plain,) = rows(found, MORE.replace("inference", "training"))
    assert plain.what == "added: UNSPECIFIED on n150, p150, without entry"

    printed = call("diff", "HEAD~1..HEAD", "--repo", checkout.root).out
    text = call("pr", "HEAD", "--repo", checkout.root).out.partition("<details>")[0]
    assert said in printed and said in text


def test_a_removed_test_that_ci_ran_leaves_ci(checkout: Checkout) -> None:
    """Not only its id is gone: it was to pass, and a job ran it."""
    yaml = (checkout.root / CONFIG).read_text()
    entry = f"  {TINY}:\n    status: EXPECTED_PASSING\n"
    assert entry in yaml
    pushed = {CONFIG: yaml.replace(entry, f"{entry}    markers: [push]\n")}
    removed = {CONFIG: yaml.replace(entry, ""), LOADER: loader_source(["net-v1.5+aug"])}
    found = between(checkout, pushed, removed)
    assert sections(found)[0].title == "1 test leaves CI"
    said = "no job on n150 (the test is gone; it was EXPECTED_PASSING on n150, p150)"
    assert section(found, "1 test leaves CI") == (Item(said, (TINY,)),)
    (row,) = [one for one in rows(found, TINY) if one.rank == 0]
    assert (row.what, row.ids) == ("removed, leaves CI: n150", ())
    (item,) = section(found, "1 entry removed")
    assert item == Item("EXPECTED_PASSING on n150, p150, markers: push", (TINY,))


def test_why_a_test_leaves_ci_is_what_jobs_select_by(checkout: Checkout) -> None:
    yaml = (checkout.root / CONFIG).read_text()
    entry = f"  {TINY}:\n    status: EXPECTED_PASSING\n"
    pushed = {CONFIG: yaml.replace(entry, f"{entry}    markers: [push]\n")}
    found = between(checkout, pushed, {CONFIG: yaml.replace(entry, f'{entry}    reason: "why"\n')})
    assert section(found, "1 test leaves CI")[0].text == "no job on n150 (markers: push -> none)"


def test_a_new_entry_that_takes_a_test_out_of_ci(checkout: Checkout) -> None:
    """Without entry it was among the unspecified ones, which a job runs."""
    preset = {PRESET: json.dumps([JOB | {"test-mark": "unspecified and n150"}])}
    loader = {LOADER: loader_source(["tiny", "more"])}
    added = {CONFIG: with_entry(checkout, MORE, "    supported_archs: [p150]\n    status: EXPECTED_PASSING\n")}
    found = between(checkout, {**preset, **loader}, added)
    assert section(found, "1 test leaves CI")[0].text == (
        "no job on n150 (it has an entry now: EXPECTED_PASSING on p150)"
    )


def test_archs_that_change_alike_are_one_line(checkout: Checkout) -> None:
    yaml = with_entry(checkout, MORE, ON_BOTH.replace("[n150, p150]", "[n150, p150, n300]"))
    loader = {LOADER: loader_source(["tiny", "more"])}
    lowered = yaml.replace('KNOWN_FAILURE_XFAIL\n        reason: "wrong"', "EXPECTED_PASSING\n")
    changed = yaml.replace("status: EXPECTED_PASSING\n    required_pcc", "status: NOT_SUPPORTED_SKIP\n    required_pcc")
    assert lowered != yaml != changed
    found = between(checkout, {CONFIG: yaml, **loader}, {CONFIG: changed})
    (item,) = [one for one in section(found, "1 test lowers a gate") if one.text.startswith("status")]
    assert item.text == "status on n150, n300: EXPECTED_PASSING -> NOT_SUPPORTED_SKIP"
    assert "p150" not in {one.arch for one in found.changed}
    assert "lb-blackhole" in {one.arch for one in found.changed}, "the value has all archs, the words those that count"
    (line,) = alike([one for one in found.changed if one.field == "status"], found.has)
    assert line.archs == ("n150", "n300")


def test_jobs_that_gain_the_same_tests_are_one_line(checkout: Checkout) -> None:
    jobs = json.dumps([JOB | {"runs-on": arch, "test-mark": f"{arch} and push"} for arch in ("n150", "p150")])
    yaml = (checkout.root / CONFIG).read_text()
    entry = f"  {TINY}:\n    status: EXPECTED_PASSING\n"
    found = between(checkout, {PRESET: jobs}, {CONFIG: yaml.replace(entry, f"{entry}    markers: [push]\n")})
    (item,) = section(found, "2 CI jobs with more tests")
    assert item == Item("model-test-push.json: torch on n150, p150: +1", (f"+ {TINY}",))


def test_hand_written_tests_say_who_runs_them(checkout: Checkout) -> None:
    job = '[{"runs-on": "n150", "name": "ops", "dir": "./tests/torch/ops", "test-mark": "push"}]'
    marked = "import pytest\n@pytest.mark.push\ndef test_a(): ...\n\ndef test_b(): ...\n"
    found = between(checkout, {PRESET: job}, {"tests/torch/ops/test_add.py": marked})
    assert section(found, "2 hand-written tests added") == (
        Item("run on n150", ("tests/torch/ops/test_add.py::test_a",)),
        Item("no scheduled job runs it", ("tests/torch/ops/test_add.py::test_b",)),
    )
    states = states_of(checkout, checkout.root.parent / "cache")
    back = difference(states.at("HEAD"), states.at("HEAD~1"))
    assert section(back, "1 test leaves CI")[0].text == "no job on n150 (the test is gone)"


def test_other_parameters_of_a_hand_written_test_are_no_loss(checkout: Checkout) -> None:
    job = '[{"runs-on": "n150", "name": "ops", "dir": "./tests/torch/ops"}]'
    text = 'import pytest\n@pytest.mark.parametrize("n", [%d])\ndef test_a(n): ...\n'
    file = "tests/torch/ops/test_add.py"
    found = between(checkout, {PRESET: job, file: text % 1}, {file: text % 2})
    assert (found.handwritten_added, found.handwritten_removed) == ((f"{file}::test_a[2]",), (f"{file}::test_a[1]",))
    assert found.left == ()


def test_words_of_entries(checkout: Checkout) -> None:
    assert status_words(None) == "UNSPECIFIED on n150, p150"
    matrix = States.at(states_of(checkout, checkout.root.parent / "cache"), "HEAD").matrix
    assert entry_words(matrix.entries[TINY]) == ["EXPECTED_PASSING on n150, p150"]


def test_other_files_are_in_diff_too(checkout: Checkout) -> None:
    commit(checkout, "more", {"tests/conftest.py": "", "docs/a.md": "a"})
    said = call("diff", "HEAD~1..HEAD", "--repo", checkout.root).out
    assert "1 file that decides how every test runs\n  tests/conftest.py" in said
    assert "1 other file changed\n  docs/a.md" in said
    (checkout.root / "docs/a.md").write_text("b")
    assert "docs/a.md" in call("diff", "--repo", checkout.root).out
    assert "docs/a.md" not in call("diff", "HEAD..index", "--repo", checkout.root).out
    git(checkout.root, "add", "--all")
    assert "docs/a.md" in call("diff", "HEAD..index", "--repo", checkout.root).out
    assert "docs/a.md" not in call("diff", "index..worktree", "--repo", checkout.root).out


def test_an_entry_that_is_gone_is_why_its_test_leaves_ci(checkout: Checkout) -> None:
    yaml = (checkout.root / CONFIG).read_text()
    entry = f"  {TINY}:\n    status: EXPECTED_PASSING\n"
    pushed = {CONFIG: yaml.replace(entry, f"{entry}    markers: [push]\n")}
    found = between(checkout, pushed, {CONFIG: yaml.replace(entry, "")})
    said = "no job on n150 (its entry is gone; it was EXPECTED_PASSING on n150, p150)"
    assert section(found, "1 test leaves CI")[0].text == said


def test_a_file_that_only_reads_differently_is_named(checkout: Checkout) -> None:
    """Comments and line ends mean nothing, but a reviewer asks what the commit did."""
    yaml = (checkout.root / CONFIG).read_text()
    found = between(checkout, {CONFIG: f"# a comment\n{yaml}"})
    assert found.is_empty
    assert section(found, "1 other file changed") == (Item("", (CONFIG,)),)
    moved = between(checkout, {CONFIG: None, CONFIG.replace("inference_single", "moved"): yaml})
    assert moved.is_empty, "findings of an entry are the same in another file"


def test_archs_that_were_not_written_are_the_default(checkout: Checkout) -> None:
    yaml = (checkout.root / CONFIG).read_text()
    entry = f"  {TINY}:\n    status: EXPECTED_PASSING\n"
    found = between(checkout, {CONFIG: yaml.replace(entry, f"{entry}    supported_archs: [n150, p150, n300]\n")})
    (item,) = section(found, "1 entry changed")
    assert item.text == "supported_archs: none, so n150, p150 -> n150, p150, n300"


CONFLICT = "<<<<<<< HEAD\n{}=======\n{}>>>>>>> topic\n"


@pytest.mark.parametrize(
    "content", [b"test_config: [\n", b"test_config:\n  caf\xe9: {}\n", CONFLICT.format("a: 1\n", "a: 2\n").encode()]
)
def test_a_file_that_cannot_be_read_is_said_first(checkout: Checkout, content: bytes) -> None:
    commit(checkout, "next")
    (checkout.root / CONFIG).write_bytes(content)
    states = states_of(checkout, checkout.root.parent / "cache")
    found = difference(states.at("HEAD"), states.at("worktree"))
    first = sections(found)[0]
    assert first.title == "1 file cannot be read in full: what was there counts as gone"
    assert CONFIG in first.items[0].names[0]
    assert not any("new error" in one.title for one in sections(found))
    back = sections(difference(states.at("worktree"), states.at("HEAD")))[0]
    assert back.title == "1 file could not be read in full before: what is there counts as new"


def test_an_unreadable_file_is_no_news_where_it_was_unreadable_before(checkout: Checkout) -> None:
    texts = {CONFIG: b"test_config:\n  caf\xe9: {}\n", PRESET: b'[{"name": "\xe9"}]'}
    for path, content in texts.items():
        (checkout.root / path).write_bytes(content)
    commit(checkout, "both")
    states = states_of(checkout, checkout.root.parent / "cache")
    assert {one.kind for one in states.at("HEAD").findings} >= {"broken-yaml", "broken-preset"}
    assert check_against(states, read_base(checkout, "HEAD", {})).findings == ()
    assert not any(str(checkout.root.parent) in one.message for one in states.at("HEAD").findings)


@pytest.mark.parametrize("path", [CONFIG, PRESET])
def test_a_conflict_of_git_is_called_that(checkout: Checkout, path: str) -> None:
    text = (checkout.root / path).read_text()
    write(
        checkout, {path: f"# first\n{CONFLICT.format(text, text)}" if path == CONFIG else CONFLICT.format(text, text)}
    )
    states = states_of(checkout, checkout.root.parent / "cache")
    (one,) = (one for one in states.at("worktree").findings if one.kind in ("broken-yaml", "broken-preset"))
    assert one.message == "A conflict of git is not resolved. Edit the file, then git add it"
    assert one.line == (2 if path == CONFIG else 1)
