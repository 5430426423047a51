# SPDX-License-Identifier: Apache-2.0
"""Edits that change no run."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.edits import Operation, OpKind, effect, no_ops, plan
from core.edits.checks import without_no_ops
from core.edits.operations import OVERRIDES
from core.matrix import Matrix, index
from tests.support.tree import INFERENCE, LOADERS, YAML, sample, write_checkout

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))
PASS, XFAIL = "EXPECTED_PASSING", "KNOWN_FAILURE_XFAIL"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("tree")))


def put(id: str, *path: str, value: object) -> Operation:
    return Operation(OpKind.SET, id, INFERENCE, path, value)


def drop(id: str, *path: str) -> Operation:
    return Operation(OpKind.UNSET, id, INFERENCE, path)


@pytest.mark.parametrize(
    ("op", "why"),
    [
        (put(TINY, "status", value=PASS), "status is EXPECTED_PASSING already"),
        (put(TINY, "required_pcc", value=0.99), "required_pcc is 0.99 by default already"),
        (put(ORG, "markers", value=["nightly", "large"]), "markers is large, nightly already"),
        (put(TINY, OVERRIDES, "n150", "status", value=PASS), "status is EXPECTED_PASSING on n150 already"),
        (
            put(NET, OVERRIDES, "p150", "status", value=XFAIL),
            "the test is not marked for p150, so nothing selects it there",
        ),
        (put(NET, OVERRIDES, "n150", "reason", value="DRAM OOM"), "reason is DRAM OOM on n150 already"),
    ],
)
def test_why_it_has_no_effect(matrix: Matrix, op: Operation, why: str) -> None:
    (one,) = no_ops(matrix, [op])
    assert (one.op, one.why) == (op, why)
    assert without_no_ops(matrix, [op]) == ((), (one,))


@pytest.mark.parametrize(
    "op",
    [
        put(TINY, "status", value=XFAIL),
        put(TINY, "reason", value="x"),
        put(TINY, "supported_archs", value=["n150"]),
        put(NET, "reason", value="for the other arch"),
        put(NET, OVERRIDES, "n150", "required_pcc", value=0.98),
        # These tidy up, or create something; or the engine rejects them.
        drop(TINY, "reason"),
        Operation(OpKind.REMOVE, TINY),
        Operation(OpKind.RENAME, TINY, to="b"),
        put("no/pytorch-such-single_device-inference", "status", value=PASS),
    ],
)
def test_what_has_an_effect_or_is_not_judged(matrix: Matrix, op: Operation) -> None:
    assert no_ops(matrix, [op]) == ()
    assert without_no_ops(matrix, [op]) == ((op,), ())


def test_an_entry_whose_value_no_arch_takes(tmp_path: Path) -> None:
    both = f"test_config:\n  {TINY}:\n    status: {PASS}\n    arch_overrides:\n"
    both += "".join(f"      {arch}:\n        status: {XFAIL}\n" for arch in ("n150", "p150"))
    matrix = index(write_checkout(tmp_path, LOADERS, YAML | {INFERENCE: both}))
    skip = put(TINY, "status", value="NOT_SUPPORTED_SKIP")
    (one,) = no_ops(matrix, [skip])
    assert one.why == "n150 and p150 have a status of their own"
    # With one of the overrides removed, an arch uses it.
    assert no_ops(matrix, [skip, drop(TINY, OVERRIDES, "p150", "status")]) == ()
    # A value moved from all overrides to the entry changes no cell, but is still a change.
    hoisted = [put(TINY, "status", value=XFAIL), drop(TINY, OVERRIDES, "n150"), drop(TINY, OVERRIDES, "p150")]
    assert no_ops(matrix, hoisted) == ()


def test_of_two_that_say_the_same_one_is_idle(matrix: Matrix) -> None:
    twice = [put(TINY, "status", value=XFAIL), put(TINY, "status", value=XFAIL)]
    assert [one.op for one in no_ops(matrix, twice)] == [twice[0]]


def test_an_entry_that_a_later_file_shadows(tmp_path: Path) -> None:
    name = "torch_llm/test_config_inference_single_device.yaml"
    late = f"test_config:\n  {TINY}:\n    status: {XFAIL}\n"
    matrix = index(write_checkout(tmp_path, LOADERS, YAML | {name: late}))
    (one,) = no_ops(matrix, [put(TINY, "status", value="EXCLUDE_MODEL")])
    assert one.why == f"only the entry in {name} counts"


_OPS = st.builds(
    lambda id, arch, pair: put(id, *((OVERRIDES, arch) if arch else ()), pair[0], value=pair[1]),
    st.sampled_from([TINY, NET, ORG]),
    st.sampled_from(["", "n150", "p150", "n300-llmbox"]),
    st.sampled_from([("status", PASS), ("status", XFAIL), ("required_pcc", 0.99), ("assert_pcc", False)]),
)


@given(st.lists(_OPS, max_size=6))
def test_leaving_them_out_leaves_the_effect(matrix: Matrix, operations: list[Operation]) -> None:
    kept, gone = without_no_ops(matrix, operations)
    assert len(kept) + len(gone) == len(operations)
    assert effect(matrix, plan(matrix.checkout.test_config, kept, matrix.schema)) == effect(
        matrix, plan(matrix.checkout.test_config, operations, matrix.schema)
    )
