# SPDX-License-Identifier: Apache-2.0
"""`show`: everything about one test."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.sample import sample_checkout
from tests.support.tree import INFERENCE, sample

NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path)


def test_text_has_place_and_provenance(checkout: Checkout) -> None:
    shown = call("show", NET, "--repo", checkout.root).out
    assert f"tests/runner/test_config/{INFERENCE}:5\n" in shown
    assert "    status: EXPECTED_PASSING" in shown
    assert "status           KNOWN_FAILURE_XFAIL  override  n150\n" in shown
    assert "reason           -                    default   n300-llmbox\n" in shown
    assert "third_party/tt_forge_models/alpha/pytorch/loader.py" in shown


def test_json_has_everything(checkout: Checkout) -> None:
    shown = call(
        "show", f"tests/runner/test_models.py::test_all_models_torch[{NET}]", "--json", "--repo", checkout.root
    ).json
    assert shown["effective"]["n150"]["status"] == {"value": "KNOWN_FAILURE_XFAIL", "from": "override"}
    assert shown["effective"]["base"]["status"] == {"value": "EXPECTED_PASSING", "from": "entry"}
    assert shown["effective"]["p150"]["reason"] == {"value": None, "from": "default"}
    assert [(one["file"], one["line"], one["end_line"]) for one in shown["entries"]] == [
        (f"tests/runner/test_config/{INFERENCE}", 5, 11)
    ]
    assert shown["known"]
    assert shown["markers"].keys() == shown["effective"].keys()
    assert "known_failure_xfail" in shown["markers"]["n150"]
    assert "expected_passing" in shown["markers"]["base"]
    assert {"inference", "single_device", "model_test"} <= set(shown["markers"]["p150"])
    assert len(shown["siblings"]) == 4


def test_a_test_without_entry(checkout: Checkout) -> None:
    called = call("show", "delta/pytorch-single_device-inference", "--repo", checkout.root)
    assert called.code == 0
    assert "No entry." in called.out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("DEFAULT_VARIANT = ", "DEFAULT_VARIANT = ModelVariant.GONE or "), "importing it raises AttributeError at"),
        (
            ("return ModelInfo(", "{}['gone']\n        return ModelInfo("),
            "INTERNALERROR: its model info raises KeyError at",
        ),
        (("def load_inputs(", "def load_no_inputs("), "making the loader raises TypeError at"),
    ],
)
def test_a_loader_that_raises(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    checkout = sample_checkout(tmp_path)
    file = checkout.models / "deep_sets/pytorch/loader.py"
    assert change[0] in file.read_text()
    file.write_text(file.read_text().replace(*change))
    id = "deep_sets/pytorch-Mean-single_device-inference"
    shown = " ".join(call("show", "--repo", str(checkout.root), id).out.split())
    assert f"{said} third_party/tt_forge_models/deep_sets/pytorch/loader.py:" in shown
    found = call("doctor", "--repo", str(checkout.root)).out
    assert said in " ".join(found.split())


def test_unknown_and_ambiguous_are_64(checkout: Checkout) -> None:
    unknown = call("show", "alpha/pytorch-tinny-single_device-inference", "--repo", checkout.root)
    ambiguous = call("show", "tiny", "--repo", checkout.root)
    assert (unknown.code, ambiguous.code) == (64, 64)
    assert "alpha/pytorch-tiny-single_device-inference" in unknown.err
    assert "6 ids" in ambiguous.err


def test_the_last_commits_that_changed_it(tmp_path: Path) -> None:
    root, id = sample_checkout(tmp_path).root, "tinynet/pytorch-tiny/net-v1.5-single_device-inference"
    shown = call("show", id, "--repo", root).out
    assert "Last changes:\n  2026-03-30" in shown
    assert "      renamed from tinynet/pytorch-V1_5-single_device-inference\n" in shown
    commits = call("show", id, "--json", "--repo", root).json["commits"]
    assert [(one["time"][:10], one["what"]) for one in commits] == [
        ("2026-03-30", ["renamed"]),
        ("2026-03-02", ["added"]),
    ]


def test_without_git_all_the_rest_is_shown(checkout: Checkout) -> None:
    called = call("show", NET, "--repo", checkout.root, "--json")
    assert (called.code, called.json["commits"]) == (0, [])
    assert "not a git repository" in called.err
