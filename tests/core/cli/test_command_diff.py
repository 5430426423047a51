# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix diff` and `ttmatrix uplift`: the JSON of the contract, ranges, and what a person reads."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.git import git
from tests.support.schemas import complaints
from tests.support.states import MODELS, commit, with_submodule, write
from tests.support.tree import INFERENCE, loader_source

CONFIG = f"tests/runner/test_config/{INFERENCE}"
TINY = "alpha/pytorch-tiny-single_device-inference"
NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = with_submodule(tmp_path / "tt-xla")
    yaml = (checkout.root / CONFIG).read_text()
    commit(
        checkout,
        "second",
        {
            CONFIG: yaml.replace("status: EXPECTED_PASSING", "status: NOT_SUPPORTED_SKIP", 1),
            f"{MODELS}/alpha/pytorch/loader.py": loader_source(["tiny", "more"]),
        },
    )
    return checkout


def test_the_json_of_the_contract(checkout: Checkout) -> None:
    called = call("diff", "HEAD~1..HEAD", "--repo", checkout.root, "--json")
    found = called.json
    assert called.code == 0
    assert list(found) == [
        *("from", "to", "tests", "entries", "jobs", "loaders", "placeholders", "handwritten", "findings", "pins"),
        "presets",
    ]
    for side, revision in (("from", "HEAD~1"), ("to", "HEAD")):
        ids = [git(checkout.root, "rev-parse", one).strip() for one in (revision, f"{revision}:{MODELS}")]
        assert found[side] == {"tt_xla": ids[0], "models": ids[1]}
    assert set(found["tests"]) == {"added", "removed", "renamed"}
    assert set(found["entries"]) == {"added", "removed", "changed", "orphaned", "reached"}
    assert found["entries"]["changed"] == [
        {"id": TINY, "arch": None, "field": "status", "before": "EXPECTED_PASSING", "after": "NOT_SUPPORTED_SKIP"}
    ]
    assert NET in found["entries"]["orphaned"]
    (loader,) = found["loaders"]
    assert loader["loader"] == "alpha/pytorch"
    assert loader["files"] == ["alpha/pytorch/loader.py"]
    assert TINY in loader["tests"]


def test_the_default_is_what_is_not_committed(checkout: Checkout) -> None:
    assert "No difference" in call("diff", "--repo", checkout.root).out
    write(
        checkout,
        {
            CONFIG: (checkout.root / CONFIG).read_text()
            + "  alpha/pytorch-more-single_device-inference:\n    status: EXPECTED_PASSING\n"
        },
    )
    found = call("diff", "--repo", checkout.root, "--json").json
    assert found["entries"]["added"] == ["alpha/pytorch-more-single_device-inference"]
    assert found["to"] == {"tt_xla": "worktree", "models": "worktree"}
    assert call("diff", "HEAD..index", "--repo", checkout.root, "--json").json["entries"]["added"] == []


def test_a_person_reads_the_harm_first(checkout: Checkout) -> None:
    out = call("diff", "HEAD~1...HEAD", "--repo", checkout.root).out
    titles = [line for line in out.splitlines()[2:] if line and not line.startswith(" ")]
    assert titles[:2] == ["1 test lowers a gate", "2 entries match no test any more"]
    assert "  status: EXPECTED_PASSING -> NOT_SUPPORTED_SKIP\n" in out


def test_long_lists_are_cut_unless_all_is_asked(checkout: Checkout) -> None:
    commit(checkout, "many", {f"{MODELS}/many/pytorch/loader.py": loader_source([f"v{one}" for one in range(9)])})
    short, whole = (call("diff", "HEAD~1..", *more, "--repo", checkout.root).out for more in ((), ("--all",)))
    assert "… and 49 more" in short
    assert whole.count("many/pytorch-v") == 54


def test_an_uplift_is_seen_before_it_is_made(checkout: Checkout) -> None:
    git(checkout.models, "checkout", "--quiet", "-b", "next")
    loader = checkout.models / "alpha/pytorch/loader.py"
    loader.write_text(loader_source(["tiny", "more", "newest"]))
    git(checkout.models, "commit", "--quiet", "--all", "--message=next")
    git(checkout.models, "checkout", "--quiet", "HEAD~1")
    found = call("uplift", "next", "--repo", checkout.root, "--json").json
    assert {id.partition("-")[2].partition("-")[0] for id in found["tests"]["added"]} == {"newest"}
    assert found["from"]["tt_xla"] == found["to"]["tt_xla"]
    assert found["to"]["models"] == git(checkout.models, "rev-parse", "next").strip()
    both = call("uplift", "next~2..next", "--repo", checkout.root, "--json").json
    assert len(both["tests"]["added"]) == 12
    assert NET in both["entries"]["orphaned"]
    assert not (checkout.models / "alpha/pytorch/loader.py").read_text().count("newest")


def test_what_is_missing_is_said(checkout: Checkout) -> None:
    for words in (("diff", "gone"), ("diff", "gone..HEAD"), ("uplift", "gone")):
        called = call(*words, "--repo", checkout.root)
        assert called.code == 64
        assert "named 'gone'" in called.err
    git(checkout.root, "checkout", "--quiet", "--orphan", "alone")
    git(checkout.root, "commit", "--quiet", "--message=alone")
    called = call("diff", "main...alone", "--repo", checkout.root)
    assert called.code == 64
    assert "They have no common commit." in called.err


def test_what_is_touched_within_a_time_the_riskiest_first(checkout: Checkout) -> None:
    """Nothing is known of how long tests take: each is taken for ten minutes."""
    words = ("HEAD~1..HEAD", "--repo", checkout.root)
    found = call("diff", *words, "--hours", "1", "--json").json
    assert complaints("diff-hours", found) == []
    first = found["tests"][0]
    assert (first["id"], first["why"], first["known"]) == (TINY, "its gate fell", False)
    assert [one["seconds"] for one in found["tests"]] == [600.0] * 4
    ids = [one["id"] for one in found["tests"]]
    half = call("diff", *words, "--hours", "0.5", "--json").json
    assert [one["id"] for one in half["tests"]] == ids[:3]
    assert half["left_over"] == [*ids[3:], *found["left_over"]]
    out = call("diff", *words, "--hours", "0.5")
    assert "~10.0" in out.out and "its gate fell" in out.out
    assert "3 tests in 30 min" in out.err and "by the estimates" in out.err
    refused = call("diff", *words, "--hours", "nan")
    assert (refused.code, "number of hours" in refused.err) == (64, True)


def test_what_is_touched_is_planned_for_a_device_of_an_arch(checkout: Checkout) -> None:
    planned = call(
        "diff",
        "HEAD~1..HEAD",
        "--hours",
        "0.4",
        "--kind",
        "device",
        "--plan",
        "--json",
        "--arch",
        "n150",
        "--repo",
        checkout.root,
    )
    assert planned.code == 0, planned.err
    assert [(one["kind"], one["arch"]) for one in planned.json] == [("device", "n150")] * 2
    assert planned.json[0]["id"] == TINY


def test_entries_of_renamed_tests_follow_them(checkout: Checkout, tmp_path: Path) -> None:
    moved = {
        f"{MODELS}/alpha/pytorch/loader.py": None,
        f"{MODELS}/omega/pytorch/loader.py": loader_source(["tiny", "more"]),
    }
    yaml = (checkout.root / CONFIG).read_text().replace(f"{TINY}:\n", f"{TINY}:\n    required_pcc: 0.97  # measured\n")
    commit(checkout, "before", {CONFIG: yaml})
    commit(checkout, "moved", moved)
    file = tmp_path / "moves.json"
    called = call("diff", "HEAD~1..HEAD", "--moves", file, "--repo", checkout.root)
    assert called.code == 0
    assert "2 entries to another id, 0 entries to remove" in called.err and str(file) in called.err
    assert call("edit", "--apply", file, "--write", "--repo", checkout.root).code == 0
    text = (checkout.root / CONFIG).read_text()
    assert f"{TINY.replace('alpha', 'omega')}:\n    required_pcc: 0.97  # measured\n" in text
    found = call("diff", "HEAD~1..worktree", "--json", "--repo", checkout.root).json
    assert TINY not in found["entries"]["orphaned"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("diff", ""), "The range is empty"),
        (("uplift", ""), "The range is empty"),
        (("check", "--base", ""), "--base is empty"),
        (("diff", "HEAD..HEAD..HEAD"), "more than two ends"),
        (("uplift", "HEAD..HEAD..HEAD"), "more than two ends"),
        (("diff", "^HEAD"), "No commit is named '^HEAD'"),
        (("check", "--base", "^HEAD"), "No commit is named '^HEAD'"),
        (("diff", "-n"), "unrecognized arguments: -n"),
        (("uplift", "--", "--upload-pack=x"), "no commit named '--upload-pack=x'"),
        (("check", "--base=--upload-pack=x"), "No commit is named '--upload-pack=x'"),
    ],
)
def test_names_that_are_no_commits(checkout: Checkout, words: tuple[str, ...], said: str) -> None:
    called = (
        call(*words, "--repo", checkout.root)
        if "--" not in words
        else call(words[0], "--repo", checkout.root, *words[1:])
    )
    assert (called.code, called.out) == (64, "")
    assert said in called.err


def test_an_uplift_since_a_branch_was_left(checkout: Checkout) -> None:
    called = call("uplift", "HEAD...HEAD", "--repo", checkout.root)
    assert called.code == 0
    assert "HEAD since it left HEAD" in called.err
