# SPDX-License-Identifier: Apache-2.0
"""Tests of tests.support.pairing."""

from tests.support.pairing import renames

PASS = {"status": "EXPECTED_PASSING"}
SKIP = {"status": "NOT_SUPPORTED_SKIP", "reason": "r"}


def test_a_key_that_changed_in_part_is_the_same_entry() -> None:
    before = {"a/pytorch-base-full-inference": PASS, "b/pytorch-full-inference": PASS, "kept": PASS}
    after = {"a/pytorch-Base-inference": PASS, "b/pytorch-inference": PASS, "kept": PASS}
    assert renames(before, after) == {
        "a/pytorch-base-full-inference": "a/pytorch-Base-inference",
        "b/pytorch-full-inference": "b/pytorch-inference",
    }


def test_of_several_the_most_alike_are_paired() -> None:
    old = ["l/pytorch-3.1_70B-batch_1-tp", "l/pytorch-3.3_70B-batch_1-tp", "l/pytorch-3.1_405B-batch_1-tp"]
    before = dict.fromkeys(old, PASS)
    after = {f"{one}-mesh_default": PASS for one in reversed(old)}
    assert renames(before, after) == {one: f"{one}-mesh_default" for one in old}


def test_fields_may_change_along_but_not_all() -> None:
    before = {"a/pytorch-x-full": {**PASS, "required_pcc": 0.97, "markers": ["push"]}}
    assert renames(before, {"a/pytorch-x": {**PASS, "required_pcc": 0.97}}) == {"a/pytorch-x-full": "a/pytorch-x"}
    assert renames(before, {"a/pytorch-x": SKIP}) == {}


def test_an_unlike_key_is_another_entry() -> None:
    assert renames({"resnet/pytorch-50": PASS}, {"bert/jax-base": PASS}) == {}
    assert renames({"a": PASS}, {"a": PASS, "b": PASS}) == {}
    assert renames({}, {}) == {}


def test_each_key_is_taken_once() -> None:
    found = renames({"a/x-1": PASS, "a/x-2": PASS}, {"a/x-3": PASS})
    assert len(found) == 1
