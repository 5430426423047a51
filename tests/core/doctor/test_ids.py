# SPDX-License-Identifier: Apache-2.0
"""Ids that name no test, and suggestions for them."""

import time

import pytest

from core.doctor.ids import UNKNOWN_ID
from tests.support.findings import Find
from tests.support.tree import LOADERS, loader_source

TINY = "alpha/pytorch-tiny-single_device-inference"


def entry(id: str) -> str:
    return f"  {id}:\n    status: EXPECTED_PASSING\n"


def test_the_closest_of_the_same_shape_are_named(find: Find) -> None:
    (one,) = find(UNKNOWN_ID, entry("alpha/pytorch-tinny-single_device-inference"))
    assert (one.line, one.column, one.fix) == (2, 3, ())
    assert one.message.startswith(f"The loader alpha/pytorch has no such test; closest: {TINY}")
    assert "training" not in one.message


def test_another_spelling_is_a_rename(find: Find) -> None:
    (one,) = find(UNKNOWN_ID, entry("alpha/pytorch-Net_v1_5_aug-single_device-inference"))
    assert [op["to"] for op in one.fix] == ["alpha/pytorch-net-v1.5+aug-single_device-inference"]


def test_no_rename_onto_an_entry(find: Find) -> None:
    (one,) = find(UNKNOWN_ID, entry("alpha/pytorch-Tiny-single_device-inference") + entry(TINY))
    assert one.fix == ()


def test_a_model_that_moved_to_another_directory_is_a_rename(find: Find) -> None:
    (one,) = find(UNKNOWN_ID, entry("beta/pytorch-3B-single_device-inference"))
    assert one.message.startswith("There is no loader beta/pytorch; closest: ")
    assert [op["to"] for op in one.fix] == ["beta/causal_lm/pytorch-3B-single_device-inference"]


def test_a_variant_of_another_task_is_no_rename_while_the_loader_stays(find: Find) -> None:
    loaders = LOADERS | {"beta/seq_cls/pytorch": loader_source(["8B"])}
    (one,) = find(UNKNOWN_ID, entry("beta/causal_lm/pytorch-8B-single_device-inference"), loaders=loaders)
    assert one.fix == ()


def test_two_directories_it_may_have_moved_to_are_left_to_a_person(find: Find) -> None:
    loaders = LOADERS | {"beta/seq_cls/pytorch": loader_source(["3B"])}
    (one,) = find(UNKNOWN_ID, entry("beta/pytorch-3B-single_device-inference"), loaders=loaders)
    assert one.fix == ()
    assert "beta/causal_lm/pytorch-3B" in one.message
    assert "beta/seq_cls/pytorch-3B" in one.message


def test_the_ids_of_a_broken_loader_are_not_blamed(find: Find) -> None:
    loaders = LOADERS | {"alpha/pytorch": "class ("}
    assert find(UNKNOWN_ID, entry(TINY), loaders=loaders) == []


def test_a_key_that_is_no_id(find: Find) -> None:
    (one,) = find(UNKNOWN_ID, entry("what is this"))
    assert one.message == "No loader generates this id"


@pytest.mark.parametrize(
    "misspelt",
    [
        "alpha/pytorch-tiny-single_device-inferense",
        "alpha/pytorch-tiny-singel_device-inference",
        "alpha/pytroch-tiny-single_device-inference",
        "alpah/pytorch-tiny-single_device-inference",
        "alpha/pytorch-tiny-single-device-inference",
        "alpha/pytorch-tiny-single_device-inference-full",
        "alpha-pytorch-tiny-single_device-inference",
    ],
)
def test_whatever_part_is_misspelt_the_closest_are_named(find: Find, misspelt: str) -> None:
    (one,) = find(UNKNOWN_ID, entry(misspelt))
    assert f"; closest: {TINY}" in one.message


def test_a_shape_that_the_model_does_not_have_names_those_it_has(find: Find) -> None:
    (one,) = find(UNKNOWN_ID, entry("alpha/jax-tiny-single_device-inference"))
    assert TINY in one.message


def test_thousands_of_unknown_ids_take_seconds(find: Find) -> None:
    began = time.process_time()
    text = "".join(entry(f"model_{n}/pytorch-v{n}-single_device-inference") for n in range(3000))
    assert len(find(UNKNOWN_ID, text)) == 3000
    assert time.process_time() - began < 10.0


def test_known_ids_are_no_finding(find: Find) -> None:
    assert find(UNKNOWN_ID, entry(TINY)) == []
