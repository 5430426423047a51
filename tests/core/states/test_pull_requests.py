# SPDX-License-Identifier: Apache-2.0
"""core.states.pull_requests: the harm first, in few lines, with all of it folded; for commits and for branches."""

import json
from pathlib import Path

import pytest

from core.edits import Operation, OpKind, to_json
from core.matrix import index
from core.sources import Checkout
from core.states import (
    PullRequest,
    pending_pull_request,
    pending_text_elsewhere,
    pull_request_elsewhere,
    pull_request_of,
)
from core.states.pull_requests import MOST_CHARACTERS, MOST_LINES
from tests.support.cli import call
from tests.support.git import git
from tests.support.pending_changes import propose
from tests.support.states import JOB, MODELS, PRESET, commit, states_of, with_submodule
from tests.support.tree import INFERENCE, loader_source

CONFIG = f"tests/runner/test_config/{INFERENCE}"
TINY = "alpha/pytorch-tiny-single_device-inference"
NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"
ALL = ("tiny", "net-v1.5+aug", "org/name")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A main branch, and a branch of somebody else that does harm of every kind in three commits."""
    checkout = with_submodule(tmp_path / "tt-xla")
    yaml = (checkout.root / CONFIG).read_text().replace(f"{TINY}:\n", f"{TINY}:\n    markers: [push]\n", 1)
    commit(checkout, "pushed", {CONFIG: yaml})
    git(checkout.root, "checkout", "--quiet", "-b", "topic")
    commit(checkout, "lower", {CONFIG: yaml.replace("markers: [push]", "markers: [push]\n    required_pcc: 0.9")})
    commit(checkout, "unmark", {PRESET: json.dumps([JOB | {"test-mark": "n150 and psuh"}])})
    commit(checkout, "variants", {f"{MODELS}/alpha/pytorch/loader.py": loader_source(["tiny"])})
    git(checkout.root, "checkout", "--quiet", "main")
    git(checkout.models, "checkout", "--quiet", "HEAD~3")
    commit(checkout, "meanwhile", {"README.md": "main goes on"})
    return checkout


def switch(checkout: Checkout, branch: str) -> None:
    """Check out a branch and the models that it pins."""
    git(checkout.root, "checkout", "--quiet", branch)
    git(checkout.models, "checkout", "--quiet", git(checkout.root, "rev-parse", f"HEAD:{MODELS}").strip())


def text_of(checkout: Checkout, cache: Path, revision: str) -> PullRequest:
    return pull_request_of(states_of(checkout, cache), index(checkout), revision)


def unfolded(text: str) -> list[str]:
    """The lines that a reader sees at once."""
    return text.partition("<details>")[0].splitlines()


def headings(text: str) -> list[str]:
    return [line.strip("*") for line in unfolded(text) if line.startswith("**")]


def test_the_branch_of_somebody_else(checkout: Checkout, tmp_path: Path) -> None:
    found = text_of(checkout, tmp_path / "cache", "topic")
    base = git(checkout.root, "merge-base", "main", "topic").strip()
    assert found.base == base
    assert found.note == f"topic since it left main at {base[:10]}"
    told = headings(found.markdown)
    assert told[:3] == ["1 test leaves CI", "1 test lowers a gate", "2 entries match no test any more"]
    assert "README" not in found.markdown, "what happened on main meanwhile is not part of it"
    assert "model-test-push.json: torch: mark: n150 and push -> n150 and psuh" in found.markdown
    assert "3 commits" in unfolded(found.markdown)


def test_a_branch_that_is_merged_is_its_last_commit(checkout: Checkout, tmp_path: Path) -> None:
    assert text_of(checkout, tmp_path / "cache", "topic~1").base == git(checkout.root, "rev-parse", "topic~2").strip()
    git(checkout.root, "branch", "merged", "main~1")
    found = text_of(checkout, tmp_path / "cache", "merged")
    assert (found.base, found.note) == (git(checkout.root, "rev-parse", "main~2").strip(), "")


def test_a_commit_that_changes_no_entry_has_its_own_title(checkout: Checkout, tmp_path: Path) -> None:
    found = text_of(checkout, tmp_path / "cache", "topic~1")
    assert found.markdown.startswith("# unmark\n")
    assert found.tests == ()


def test_at_most_so_many_lines_with_all_of_it_folded(checkout: Checkout, tmp_path: Path) -> None:
    switch(checkout, "topic")
    loaders = {
        f"{MODELS}/new{one}/pytorch/loader.py": loader_source([f"v{two}" for two in range(4)]) for one in range(40)
    }
    commit(checkout, "many", {**loaders, **{f"tests/torch/test_{one}.py": "def test_a(): ...\n" for one in range(40)}})
    text = text_of(checkout, tmp_path / "cache", "topic").markdown
    assert len(unfolded(text)) <= MOST_LINES
    assert len(text) <= MOST_CHARACTERS
    assert headings(text)[:3] == ["1 test leaves CI", "1 test lowers a gate", "2 entries match no test any more"]
    assert "960 tests added" in headings(text)
    assert text.count("<details>") == text.count("</details>") == 1
    folded = text.partition("<details>")[2]
    assert all(f"new{one}/pytorch-v3-single_device-inference" in folded for one in range(40))


def test_what_is_too_long_says_how_to_see_it(checkout: Checkout, tmp_path: Path) -> None:
    switch(checkout, "topic")
    name = "a_name_of_some_length_" * 4
    loaders = {f"{MODELS}/{name}{one}/pytorch/loader.py": loader_source(["a", "b", "c"]) for one in range(60)}
    commit(checkout, "many", loaders)
    text = text_of(checkout, tmp_path / "cache", "topic").markdown
    assert len(text) <= MOST_CHARACTERS
    assert "The rest is too long for GitHub: `ttmatrix diff --all" in text


def test_models_that_are_not_here(checkout: Checkout, tmp_path: Path) -> None:
    git(checkout.models, "remote", "add", "origin", "https://example.org/models.git")
    git(checkout.root, "update-index", "--cacheinfo", f"160000,{'1' * 40},{MODELS}")
    yaml = (checkout.root / CONFIG).read_text()
    (checkout.root / CONFIG).write_text(yaml.replace("EXPECTED_PASSING", "NOT_SUPPORTED_SKIP", 1))
    git(checkout.root, "add", CONFIG)
    git(checkout.root, "commit", "--quiet", "--message=both")
    text = text_of(checkout, tmp_path / "cache", "HEAD").markdown
    assert f"# Skip {TINY}" in text
    assert "Only entries are compared." in text
    assert "fetch origin " + "1" * 40 in text


def test_the_same_in_another_process(checkout: Checkout, tmp_path: Path) -> None:
    states = states_of(checkout, tmp_path / "cache")
    assert pull_request_elsewhere(states, "topic") == pull_request_of(states, index(checkout), "topic")


def test_the_command(checkout: Checkout) -> None:
    called = call("pr", "topic", "--repo", checkout.root)
    assert called.out.startswith("# ")
    assert "topic since it left main" in called.err
    assert call("pr", "topic", "--repo", checkout.root, "--json").json["tests"] == [TINY]


def test_what_is_not_committed(checkout: Checkout, tmp_path: Path) -> None:
    """An uplift in the work tree is no "nothing": the pin and the loaders, while no entry changes."""
    switch(checkout, "topic~1")
    git(checkout.models, "checkout", "--quiet", "main")
    found = text_of(checkout, tmp_path / "cache", "worktree")
    assert (found.tip, found.tests) == ("worktree", ())
    assert "2 entries match no test any more" in headings(found.markdown)
    assert "What is not committed (worktree)" in found.markdown
    pin = git(checkout.models, "rev-parse", "main").strip()
    assert f"..{pin[:10]}" in found.markdown
    called = call("pr", "HEAD~2..worktree", "--repo", checkout.root, "--json")
    assert called.json["commit"] == "worktree" and "and what is not committed" in called.json["markdown"]
    git(checkout.root, "add", "--all")
    assert "2 entries match no test" in text_of(checkout, tmp_path / "cache", "index").markdown


def test_a_clean_work_tree_names_no_models(checkout: Checkout, tmp_path: Path) -> None:
    file = checkout.root / CONFIG
    file.write_text(file.read_text().replace("markers: [push]", "markers: [push]\n    required_pcc: 0.9"))
    text = text_of(checkout, tmp_path / "cache", "worktree").markdown
    assert headings(text)[0] == "1 test lowers a gate"
    assert "Models " not in text


def test_no_change_of_the_last_commit_points_at_the_work_tree(checkout: Checkout) -> None:
    commit(checkout, "nothing", {"README.md": "more"})
    assert "What is not committed" not in call("pr", "--repo", checkout.root).err
    file = checkout.root / CONFIG
    file.write_text(file.read_text().replace("markers: [push]", "markers: [nightly]"))
    called = call("pr", "--repo", checkout.root)
    assert (called.code, "What is not committed does: ttmatrix pr worktree" in called.err) == (64, True)


def test_what_cannot_be_compared_is_not_called_nothing(checkout: Checkout, tmp_path: Path) -> None:
    """The models of the commit are not here: that no entry changed does not mean that nothing did."""
    git(checkout.models, "remote", "add", "origin", "https://example.org/models.git")
    git(checkout.root, "update-index", "--cacheinfo", f"160000,{'1' * 40},{MODELS}")
    git(checkout.root, "commit", "--quiet", "--message=uplift")
    called = call("pr", "--repo", checkout.root)
    assert called.code == 64
    assert "is not known, beside its entries" in called.err and "fetch origin 1111" in called.err


def test_pending_changes_say_all_before_anything_is_written(checkout: Checkout, tmp_path: Path) -> None:
    before = (checkout.root / CONFIG).read_bytes()
    ops = (
        Operation(OpKind.UNSET, TINY, path=("markers",)),
        Operation(OpKind.SET, TINY, path=("status",), value="KNOWN_FAILURE_XFAIL"),
        Operation(OpKind.RENAME, NET, to=f"{NET}x"),
    )
    states, matrix = states_of(checkout, tmp_path / "cache"), index(checkout)
    found = pending_pull_request(states, matrix, ops, {TINY: ["red since Monday"]})
    told = headings(found.markdown)
    assert told[:3] == ["1 test leaves CI", "2 tests lower a gate", "1 new error"]
    assert "red since Monday" in found.markdown and "What is not committed (pending)" in found.markdown
    assert len(unfolded(found.markdown)) <= MOST_LINES
    assert pending_text_elsewhere(states, ops, {TINY: ["red since Monday"]}) == found.markdown
    assert (checkout.root / CONFIG).read_bytes() == before

    # The same once it is written: it is compared with the last commit.
    (tmp_path / "ops.json").write_text(json.dumps(to_json(ops)))
    assert call("edit", "--apply", tmp_path / "ops.json", "--write", "--repo", checkout.root).code == 0
    assert pending_pull_request(states, index(checkout), ops, {TINY: ["red since Monday"]}).markdown == found.markdown
    assert headings(text_of(checkout, tmp_path / "cache", "worktree").markdown) == [
        one for one in told if one != "Evidence"
    ]


def test_pending_changes_headless(checkout: Checkout) -> None:
    called = call("pr", "--pending", "--repo", checkout.root)
    assert (called.code, "No change is pending" in called.err) == (64, True)
    propose(checkout, TINY, "status", "KNOWN_FAILURE_XFAIL")
    propose(checkout, NET, "reason", "nothing of CI")
    both = call("pr", "--pending", "--repo", checkout.root).out
    assert headings(both)[0] == "1 test lowers a gate" and NET in both
    assert call("pending", "accept", NET, "--repo", checkout.root).code == 0
    accepted = call("pr", "--pending", "--repo", checkout.root, "--json").json
    assert (accepted["tests"], accepted["commit"]) == ([NET], "pending")


def test_files_without_rows_in_the_matrix_are_named_too(checkout: Checkout, tmp_path: Path) -> None:
    """A job that is split in another way, the conftest, a workflow: a reviewer needs no diff to know of them."""
    switch(checkout, "main")
    texts = {
        PRESET: json.dumps([JOB | {"parallel-groups": 4}]),
        "tests/conftest.py": "import pytest\n",
        ".github/workflows/call-test.yml": "on: workflow_call\n",
        "docs/a.md": "a",
        "docs/b.md": "b",
    }
    commit(checkout, "rest", texts)
    found = text_of(checkout, tmp_path / "cache", "HEAD")
    told = headings(found.markdown)
    assert "1 CI job with the same tests, run in another way" in told
    assert told[-3:] == ["1 file that decides how every test runs", "1 finding gone", "4 other files changed"]
    assert "parallel-groups: 1 -> 4" in found.markdown and "- `docs`: `docs/a.md`, `docs/b.md`" in unfolded(
        found.markdown
    )
    assert call("diff", "HEAD~1..HEAD", "--repo", checkout.root, "--json").json["jobs"] == []


def test_only_a_conftest_is_not_nothing(checkout: Checkout, tmp_path: Path) -> None:
    switch(checkout, "main")
    commit(checkout, "conftest", {"tests/conftest.py": "", "tests/runner/test_config/constants.py": ""})
    told = headings(text_of(checkout, tmp_path / "cache", "HEAD").markdown)
    assert told == ["2 files that decide how every test runs"]


def test_the_names_have_the_room_that_is_left(checkout: Checkout, tmp_path: Path) -> None:
    """A line each where all of an item fit; else the first ones, and how many more there are."""
    switch(checkout, "main")
    variants = [f"v{one}" for one in range(9)]
    entries = "".join(
        f"  alpha/pytorch-{one}-single_device-inference:\n    status: EXPECTED_PASSING\n" for one in variants
    )
    yaml = (checkout.root / CONFIG).read_text() + entries
    commit(
        checkout,
        "nine",
        {CONFIG: yaml, f"{MODELS}/alpha/pytorch/loader.py": loader_source([*ALL, *variants])},
    )
    lines = unfolded(text_of(checkout, tmp_path / "cache", "HEAD").markdown)
    assert len(lines) <= MOST_LINES
    at = lines.index("- `EXPECTED_PASSING on n150, p150`")
    assert lines[at + 1 : at + 10] == [f"  - `alpha/pytorch-{one}-single_device-inference`" for one in variants]
    assert any(line.startswith("- `alpha/pytorch: 45 tests") and "and 42 more" in line for line in lines)


def test_the_text_of_an_edit_is_that_of_the_pending_change(checkout: Checkout, tmp_path: Path) -> None:
    """`edit`, `apply` and `pr` print one text, made in one place."""
    ops = (Operation(OpKind.SET, TINY, path=("status",), value="KNOWN_FAILURE_XFAIL"),)
    expected = pending_pull_request(states_of(checkout, tmp_path / "cache"), index(checkout), ops, {}).markdown
    file = tmp_path / "ops.json"
    file.write_text(json.dumps(to_json(ops)))
    words = ("--markdown", "--repo", checkout.root)
    assert call("edit", "--apply", file, *words).out == expected
    assert call("apply", file, *words, "--json").json["markdown"] == expected
    assert call("edit", "--apply", file, *words).out == expected, "it is written by now, and not committed"
    committed = call("apply", file, *words, "--commit", "--json").json
    assert committed["markdown"] == expected and len(committed["commits"]) == 1


def test_op_cases_are_changes_too(checkout: Checkout, tmp_path: Path) -> None:
    switch(checkout, "main")
    cases = "model: m\ncases:\n  - name: a\n    op: torch.add\n    inputs:\n      - tensor: {shape: [2]}\n"
    commit(checkout, "cases", {"ops/m.yaml": cases})
    file = tmp_path / "ops.json"
    file.write_text(json.dumps([{"op": "set", "id": "m::a", "file": "ops/m.yaml", "path": ["rtol"], "value": 0.5}]))
    called = call("edit", "--apply", file, "--markdown", "--repo", checkout.root)
    assert headings(called.out)[0] == "1 op case changed", called.err
    assert "- `rtol: 0.5`: `m::a`" in called.out
