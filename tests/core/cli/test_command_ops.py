# SPDX-License-Identifier: Apache-2.0
"""`ops list`, `ops models` and `ops report`, and what `doctor` says of manifests."""

from contextlib import chdir
from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.sample import sample_checkout
from tests.support.tree import LOADERS, write_checkout
from tests.support.warm_python import use_python

ONE = """\
model: one
cases:
  - {name: a, op: torch.add, inputs: [{tensor: {shape: [2, 3]}}]}
  - {name: b, op: torch.add, inputs: [{tensor: {shape: [2, 3]}}], skip_if: cfg.compile_backend == 'tt'}
  - {name: c, op: torch.neg, inputs: [{tensor: {shape: [2, 3], dtpye: bf16}}]}
"""
TWO = """\
cases:
  - {name: a, op: torch.add, rtol: 0.1, inputs: [{tensor: {shape: [2, 3]}}]}
  - {name: b, op: torch._C._log_api_usage_once, inputs: [{value: x}], expected_errors: {match: y}}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = write_checkout(tmp_path / "tt-xla", LOADERS, {})
    directory = found.root / "tests/op_manifests"
    directory.mkdir(parents=True)
    (directory / "one.yaml").write_text(ONE)
    (directory / "two.yaml").write_text(TWO)
    (directory / "template.yaml").write_text(TWO)
    return found


def test_list_names_who_represents_whom(checkout: Checkout) -> None:
    called = call("ops", "list", "--json", "--repo", checkout.root)
    assert called.code == 0
    found = {one["id"]: one for one in called.json}
    assert list(found) == ["one::a", "one::b", "two::a", "two::b", "one::c"]
    assert [one["dup_of"] for one in found.values()] == [None, "one::a", "one::a", None, None]
    assert found["one::a"]["key"] == found["two::a"]["key"] != found["two::b"]["key"]
    assert found["two::b"]["problem"] == "expected_errors is read as expects_error; write expects_error"
    assert found["one::c"]["problem"] == "unknown key 'dtpye' in tensor; did you mean dtype?"
    assert (found["one::c"]["line"], found["one::a"]["file"]) == (5, "tests/op_manifests/one.yaml")


def test_what_is_skipped_represents_nobody(checkout: Checkout) -> None:
    (checkout.root / "tests/op_manifests/one.yaml").write_text(ONE.replace("{name: a,", "{name: a, skip_if: 'True',"))
    found = call("ops", "list", "--json", "--repo", checkout.root, "--backend", "tt").json
    assert [(one["id"], one["skip"], one["dup_of"]) for one in found[:3]] == [
        ("one::a", "True", None),
        ("one::b", "cfg.compile_backend == 'tt'", None),
        ("two::a", None, None),
    ]
    assert call("ops", "list", "--json", "--repo", checkout.root).json[2]["dup_of"] == "one::b"


def test_ids_models_and_templates(checkout: Checkout) -> None:
    def ids(*more: object) -> list[str]:
        return call("ops", "list", "--format", "ids", *more, "--repo", checkout.root).out.splitlines()

    assert ids("--model", "two", "--no-dedupe") == ["two::a", "two::b"]
    assert "template::a" in ids("--include-template")
    assert ids("--ops-dir", checkout.root / "tests/op_manifests/two.yaml") == ["two::a", "two::b"]
    assert call("ops", "list", "--model", "tow", "--repo", checkout.root).code == 64
    assert call("ops", "list", "--ops-dir", checkout.root / "no", "--repo", checkout.root).code == 64
    models = call("ops", "models", "--json", "--repo", checkout.root).json
    assert [(one["model"], one["cases"], one["unique"]) for one in models] == [("one", 2, 1), ("two", 2, 2)]


def test_list_knows_op_cases(checkout: Checkout) -> None:
    listed = call("list", "--kind", "op", "--repo", checkout.root, "--format", "ids")
    assert listed.out.splitlines() == ["one::a", "one::b", "two::a", "two::b"]
    assert (
        call("list", "--kind", "op", "--json", "--repo", checkout.root).json
        == call("ops", "list", "--json", "--repo", checkout.root).json
    )
    assert call("list", "--kind", "op", "alpha", "--repo", checkout.root, "--format", "ids").out == ""
    assert call("list", "--kind", "op", "--universe", "entries", "--repo", checkout.root).code == 64

    def ids(*more: str) -> list[str]:
        return call("list", *more, "--repo", checkout.root, "--format", "ids").out.splitlines()

    assert ids() == ids("--kind", "all") == sorted([*ids("--kind", "model"), *listed.out.splitlines()])
    assert ids("--universe", "validator") == ids("--kind", "model") == ids("kind:model")
    assert ids("kind:op") == listed.out.splitlines()
    lines = call("ops", "list", "--format", "csv", "--repo", checkout.root).out.splitlines()
    assert (lines[0], len(lines)) == ("id,op,dtype,file:line,note", 6)


def test_show_tells_all_about_a_case(checkout: Checkout) -> None:
    called = call("show", "one::a", "--json", "--repo", checkout.root)
    listed = call("list", "--kind", "op", "--json", "--repo", checkout.root).json
    assert listed[0].items() <= called.json.items()
    assert called.json["same"] == ["one::b", "two::a"]
    lines = call("show", "two::a", "--repo", checkout.root).out.splitlines()
    assert "  same as      one::a, which represents it" in lines
    assert call("show", "two::", "--repo", checkout.root).code == 64, "two cases have this part"
    assert call("show", "one::", "--repo", checkout.root).code == 64
    refused = call("jobs", "one::a", "--repo", checkout.root)
    assert (refused.code, refused.err.splitlines()[0]) == (64, "ttmatrix: one::a is an op case")


def test_a_table_of_both_kinds_has_the_columns_of_models(checkout: Checkout) -> None:
    both = call("list", "--repo", checkout.root, "--format", "csv").out.splitlines()
    assert both[0] == "id,status,bringup,archs,reason"
    assert "two::a,EXPECTED_PASSING,,," in both
    assert call("list", "kind:op", "--repo", checkout.root, "--format", "csv").out.splitlines()[0].startswith("id,op,")
    document = call("list", "--json", "--repo", checkout.root).json
    assert [one["id"] for one in document][-4:] == ["one::a", "one::b", "two::a", "two::b"]
    assert document[-2]["op"] == "torch.add"


def test_a_directory_needs_no_checkout(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(ONE)
    with chdir(tmp_path):
        assert call("ops", "list", "--ops-dir", tmp_path, "--format", "ids").out.split()[0] == "one::a"
        assert call("ops", "list").code == 2


def test_a_file_that_cannot_be_read_is_named_by_list(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text(ONE)
    (tmp_path / "bad.yaml").write_text("cases: [\n")
    (tmp_path / "item.yaml").write_text("cases: [5]\n")
    called = call("ops", "list", "--ops-dir", tmp_path, "--format", "ids")
    assert called.out.split() == ["one::a", "one::b"]
    first, second = called.err.splitlines()
    assert first.startswith(f"{tmp_path}/bad.yaml:2: is not YAML")
    assert second.startswith(f"{tmp_path}/item.yaml:1: a case must be a mapping")


def test_the_report_counts_and_says_where_mistakes_are(checkout: Checkout) -> None:
    called = call("ops", "report", "--json", "--repo", checkout.root)
    assert called.code == 1
    found = called.json
    assert {name: found[name] for name in ("cases", "unique", "ops", "models")} == {
        "cases": 4,
        "unique": 2,
        "ops": 2,
        "models": 2,
    }
    assert found["dedupe"] == {"executed": 2, "duplicates": 2, "saved": 0.5}
    assert found["by_op"]["torch.add"]["models"] == 2
    assert found["by_model"]["two"]["signatures"] == 2
    mistake, warning = found["problems"]
    assert (mistake["file"], mistake["line"], mistake["column"], mistake["case"], mistake["hint"]) == (
        "tests/op_manifests/one.yaml",
        5,
        64,
        "c",
        "did you mean dtype?",
    )
    assert ONE.splitlines()[4][63:68] == "dtpye"
    assert warning["warning"] and not mistake["warning"]
    assert len(call("ops", "report", "--format", "csv", "--repo", checkout.root).out.splitlines()) == 6
    assert "| torch.add | 3 | 1 |" in call("ops", "report", "--format", "markdown", "--repo", checkout.root).out
    table = call("ops", "report", "--repo", checkout.root).out
    assert "tests/op_manifests/one.yaml:5:64: unknown key 'dtpye' in tensor; did you mean dtype? [c]" in table


def test_doctor_finds_them(checkout: Checkout) -> None:
    found = [one for one in call("doctor", "--json", "--repo", checkout.root).json if one["kind"] == "op-manifest"]
    assert [(one["id"], one["line"]) for one in found] == [("one::c", 5), ("two::b", 3)]
    assert call("doctor", "--fail-on", "op-manifest", "--repo", checkout.root).code == 1
    for name in ("one", "two"):
        (checkout.root / f"tests/op_manifests/{name}.yaml").unlink()
    assert call("doctor", "--fail-on", "op-manifest", "--repo", checkout.root).code == 0


def test_a_link_out_of_the_checkout_is_a_finding(checkout: Checkout, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "m.yaml").write_text(ONE)
    (checkout.root / "tests/op_manifests/link.yaml").symlink_to(outside / "m.yaml")
    problems = call("ops", "report", "--json", "--repo", checkout.root).json["problems"]
    assert "leads out of" in problems[0]["message"]
    settings = ["ops", "list", "--format", "ids", "--repo", checkout.root]
    assert call(*settings).out.count("one::a") == 1


@pytest.mark.slow("a real model runs")
def test_extract_writes_the_ops_of_a_model_and_adds_what_is_missing(
    tmp_path: Path, own_home: Path, warm_torch: Path
) -> None:
    use_python(warm_torch, own_home)
    checkout = sample_checkout(tmp_path / "demo")
    test, file = "conv_classifier/pytorch-Width_16-single_device-inference", tmp_path / "conv.yaml"
    called = call("ops", "extract", test, "-o", file, "--json", "--repo", checkout.root)
    assert called.code == 0, called.err
    assert (called.json["added"], called.json["left_out"]) == (called.json["cases"], {})
    text = file.read_text()
    assert "op: torch.nn.functional.conv2d" in text
    assert "in forward, code:" in text
    listed = call("ops", "list", "--ops-dir", file, "--format", "ids", "--repo", checkout.root)
    assert len(listed.out.splitlines()) == called.json["cases"]
    refused = call("ops", "extract", test, "-o", file, "--repo", checkout.root)
    assert refused.code != 0
    assert "--merge" in refused.err
    first, _, rest = text.partition("  - name: torch.nn.functional.conv2d.1\n")
    file.write_text(f"# mine\n{first}  - name: mine\n{rest}")
    mine = file.read_text()
    again = call("ops", "extract", test, "-o", file, "--merge", "--json", "--repo", checkout.root)
    assert (again.json["added"], file.read_text()) == (0, mine)
    # Exactly the removed last case is added again.
    cut = mine[: mine.rindex("  - name:")]
    file.write_text(cut)
    again = call("ops", "extract", test, "-o", file, "--merge", "--json", "--repo", checkout.root)
    assert again.json["added"] == 1
    assert file.read_text().startswith(cut)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"problem": "the model failed: no luck"}', "the model failed: no luck"),
        ('{"cases": "many"}', "its report cannot be read: $.cases: Expected `int`, got `str`"),
        ('{"cases": 1', "its report cannot be read: it is not JSON"),
    ],
)
def test_extract_says_why_a_model_has_no_ops(tmp_path: Path, checkout: Checkout, line: str, said: str) -> None:
    (checkout.root / "venv/bin").mkdir(parents=True)
    python = checkout.root / "venv/bin/python"
    python.write_text(f"#!/bin/sh\necho walls\necho 'TTMATRIX-OPS {line}'\nexit 1\n")
    python.chmod(0o755)
    called = call("ops", "extract", "delta/pytorch-single_device-inference", "--repo", checkout.root)
    assert called.code != 0
    assert said in called.err
    assert "walls" in called.err


@pytest.mark.slow("a real model runs twice")
def test_a_run_of_kind_extract_writes_and_then_only_adds(tmp_path: Path, own_home: Path, warm_torch: Path) -> None:
    use_python(warm_torch, own_home)
    checkout = sample_checkout(tmp_path / "demo")
    test = "conv_classifier/pytorch-Width_16-single_device-inference"
    asked = ("run", test, "--kind", "extract", "--wait", "--json", "--repo", checkout.root)
    called = call(*asked)
    assert called.code == 0, called.err
    file = checkout.root / "tests/op_manifests/conv_classifier_pytorch-Width_16.yaml"
    text = file.read_text()
    by_hand = tmp_path / "by_hand.yaml"
    assert call("ops", "extract", test, "-o", by_hand, "--repo", checkout.root).code == 0
    assert by_hand.read_text() == text
    file.chmod(0o640)
    cut = text[: text.rindex("  - name:")]
    file.write_text(cut)
    assert call(*asked).code == 0
    assert file.read_text().startswith(cut)
    assert len(file.read_text()) > len(cut)
    assert file.stat().st_mode & 0o777 == 0o640
    assert not list(file.parent.glob(".*"))
    # A file that cannot take more cases is left unchanged, and the run says so.
    file.write_text("cases: {}\n")
    failed = call(*asked)
    assert failed.code != 0
    assert file.read_text() == "cases: {}\n"


def test_a_jax_model_is_not_extracted(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    jax = next(id for id in call("list", "--format", "ids", "--repo", checkout.root).out.split() if "/jax" in id)
    called = call("run", jax, "--kind", "extract", "--repo", checkout.root)
    assert called.code != 0
    assert "this one is JAX" in called.err
