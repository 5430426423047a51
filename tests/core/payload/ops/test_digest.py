# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.digest: which cases are the same test, counted here in an independent way."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.payload.ttmatrix_payload.ops.cases import Case, DeviceName, Tensor, Value
from core.payload.ttmatrix_payload.ops.digest import VERSION, digest, group
from core.payload.ttmatrix_payload.ops.load import read_file, read_text

HEAD = "cases:\n"


def _case(body: str) -> Case:
    manifest = read_text(HEAD + body, "m.yaml")
    assert not manifest.problems
    return manifest.cases[0]


def _flow(mapping: dict[str, Any], order: list[str], quote: str) -> str:
    def write(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{key}: {write(one)}" for key, one in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(write, value)) + "]"
        return f"{quote}{value}{quote}" if isinstance(value, str) else json.dumps(value)

    return "{" + ", ".join(f"{key}: {write(mapping[key])}" for key in order) + "}"


_TENSOR = {
    "shape": [2, 3],
    "dtype": "bf16",
    "init": "randint",
    "init_args": {"low": 1, "high": 9},
    "stride": [1, 2],
    "storage_offset": 4,
    "device": "cuda:0",
}


@given(
    st.permutations(list(_TENSOR)), st.permutations(["op", "name", "inputs", "kwmap"]), st.sampled_from(["", "'", '"'])
)
def test_order_and_quotes_mean_nothing(keys: list[str], outer: list[str], quote: str) -> None:
    fields = {
        "op": f"op: {quote}torch.add{quote}",
        "name": f"name: {quote}a{quote}",
        "inputs": f"inputs: [{{tensor: {_flow(_TENSOR, keys, quote)}}}, {{value: {quote}None{quote}}}]",
        "kwmap": f"kwmap:\n      dim: {quote}(1, -2){quote}\n      dtype: {quote}torch.float{quote}",
    }
    written = "  - " + "\n    ".join(fields[name] for name in outer) + "\n"
    assert digest(_case(written)) == digest(_case(_PLAIN))


_PLAIN = """\
  - name: b
    op: torch.add
    inputs:
      - tensor:
          shape: [2, 3]
          dtype: torch.bfloat16
          init: randint
          init_args: {high: 9, low: 1}
          stride: [1, 2]
          storage_offset: 4
      - py: None
    attrs: {dim: 7, dtype: fp32}
    kwmap: {dim: !x}
    description: another
    marks: [constant]
    seed: 7
    rtol: 0.1
""".replace("!x", '"(1, -2)"')

TENSOR = "  - op: torch.add\n    inputs:\n      - tensor: {shape: [4, 1, 3]%s}\n"


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("", ", stride: [3, 3, 1]", True),
        (", stride: [3, 77, 1]", ", stride: [3, 1, 1]", True),
        (", stride: [3, 77, 1]", ", stride: [3, 1, 1], contiguous: true", True),
        (", stride: [6, 3, 2]", ", stride: [6, 3, 2], contiguous: true", False),
        ("", ", storage_offset: 1", False),
        ("", ", dtype: fp16", True),
        ("", ", dtype: bf16", False),
        ("", ", init: rand", True),
        ("", ", init: randn", False),
        (", init: randint, init_args: {high: 3}", ", init: randint, init_args: {high: 4}", False),
        (", init: randint, init_args: {high: 3}", ", init: rand, dtype: int64, init_args: {low: 0, high: 3}", True),
        (", preset: transpose_view", ", preset: transpose_view, preset_args: {dim0: 0}", True),
        (", preset: transpose_view", ", preset: transpose_view, preset_args: {dim0: 2}", False),
        ("", ", device: 'cuda:3'", True),
    ],
)
def test_what_a_tensor_is(left: str, right: str, same: bool) -> None:
    assert (digest(_case(TENSOR % left)) == digest(_case(TENSOR % right))) is same


@pytest.mark.parametrize(
    ("left", "right"),
    [("1", "1.0"), ("1", "true"), ("[1]", "(1,)"), ("0.0", "-0.0"), ("1", "'x'"), ("null", "false"), (".inf", "-.inf")],
)
def test_values_of_different_types_differ(left: str, right: str) -> None:
    cases = [_case(f"  - op: torch.add\n    inputs:\n      - value: {one}\n") for one in (left, right)]
    assert digest(cases[0]) != digest(cases[1])


def test_the_digest_is_the_same_everywhere() -> None:
    # Results are looked up by it: another digest needs another VERSION.
    case = Case("a", "torch.add", (Tensor((2, 3), "float16"), Value((1, None, ..., DeviceName("cuda:0")))))
    assert (VERSION, digest(case)[:16]) == (1, "f738237a9f3e7a64")


def test_the_strictest_counts_for_all() -> None:
    cases = [Case("a", "torch.add", rtol=0.1, atol=0.0), Case("b", "torch.add", rtol=0.01, atol=1.0, pcc=0.9)]
    (one,) = group(cases)
    assert one.members == (0, 1)
    assert (one.case.name, one.case.rtol, one.case.atol, one.case.pcc) == ("a", 0.01, 0.0, 0.9)
    assert [each.members for each in group(cases, dedupe=False)] == [(0,), (1,)]


def test_other_expectations_and_files_stay_apart() -> None:
    case = Case("a", "torch.add", (Tensor((), "", init="file", file="a.pt"),))
    assert len(group([case, case._replace(xfail_if="True")])) == 2
    assert len(group([case, case], directories=["x", "y"])) == 2
    assert len(group([case, case], directories=["x", "x"])) == 1


def _literal(value: Any) -> Any:
    """A PyYAML value with its texts parsed, independent of the code under test."""
    if isinstance(value, list):
        return [_literal(one) for one in value]
    if isinstance(value, str):
        names = {"slice": slice, "Ellipsis": ..., "inf": float("inf"), "nan": float("nan")}
        try:
            return repr(eval(value, {"__builtins__": {}}, names))
        except Exception:  # noqa: BLE001
            return value
    return repr(value)


def _independent_key(case: dict[str, Any], dtype: str) -> str:
    def tensor(one: dict[str, Any]) -> Any:
        shape = one["shape"]
        stride = [0 if size == 1 else step for size, step in zip(shape, one["stride"], strict=True)]
        return [shape, one["dtype"], stride, one["storage_offset"], one["init"], one.get("init_args")]

    def argument(one: dict[str, Any]) -> Any:
        ((kind, value),) = one.items()
        if kind == "tensor":
            return tensor(value)
        return [tensor(each) for each in value] if kind == "tensor_list" else _literal(value)

    keywords = {name: _literal(value) for name, value in (case.get("kwmap") or {}).items()}
    return json.dumps([case["op"], [argument(one) for one in case.get("inputs", [])], keywords, dtype], sort_keys=True)


def test_the_real_manifest_has_the_keys_of_an_independent_count(real_manifest: Path) -> None:
    yaml = pytest.importorskip("yaml")
    document = yaml.safe_load(real_manifest.read_text())
    keys = [_independent_key(case, document["defaults"]["dtype"]) for case in document["cases"]]
    manifest = read_file(real_manifest)
    assert not manifest.problems
    ours = [digest(case) for case in manifest.cases]
    assert len(ours) == len(keys) == 112
    # The same partition, not only the same number.
    assert [ours.index(one) for one in ours] == [keys.index(one) for one in keys]
    assert len(group(manifest.cases)) == len(set(keys))
