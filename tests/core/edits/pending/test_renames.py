# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.rebase."""

from hypothesis import given, strategies as st

from core.edits.pending.rebase import renames

FILE = "torch/test_config_inference_single_device.yaml"


def keys(*ids: str, value: str = "v", file: str = FILE) -> dict[tuple[str, str], str]:
    return {(file, id): value for id in ids}


def paired(gone: dict[tuple[str, str], str], come: dict[tuple[str, str], str]) -> dict[str, str]:
    return {old[1]: new[1] for old, new in renames(gone, come).items()}


A = "alpha/pytorch-Base-single_device-inference"


def test_a_close_id_with_the_same_value_is_its_new_name() -> None:
    assert paired(keys(A), keys("alpha/pytorch-base-single_device-inference")) == {
        A: "alpha/pytorch-base-single_device-inference"
    }
    assert paired(keys(A), keys("alpha/base/pytorch-Base-single_device-inference")) != {}
    assert paired(keys("some stray key"), keys("some other stray key")) == {"some stray key": "some other stray key"}


def test_an_entry_that_moved_keeps_its_id() -> None:
    other = keys(A, file="torch/test_config_other.yaml")
    assert renames(keys(A), {**other, **keys("alpha/pytorch-Base2-single_device-inference")}) == {
        (FILE, A): ("torch/test_config_other.yaml", A)
    }
    changed = keys(A, file="torch/test_config_other.yaml", value="w")
    assert len(renames(keys(A), changed)) == 1
    assert renames(keys(A), {**changed, **keys(A, file="torch/test_config_third.yaml", value="w")}) == {}


def test_another_value_another_model_or_another_kind_of_test_is_no_rename() -> None:
    assert paired(keys(A), keys("alpha/pytorch-base-single_device-inference", value="w")) == {}
    assert paired(keys(A), keys("zeta/pytorch-Large-single_device-inference")) == {}
    assert paired(keys(A), keys("alpha/pytorch-Base-single_device-training")) == {}
    assert paired(keys(A), keys("alpha/pytorch-Base-tensor_parallel-inference")) == {}
    assert paired(keys(A), {}) == {}


def test_where_two_fit_nothing_is_guessed() -> None:
    two = ("alpha/pytorch-Base_1-single_device-inference", "alpha/pytorch-Base_22-single_device-inference")
    assert paired(keys(A), keys(*two)) == {}
    assert paired(keys(*two), keys(A)) == {}
    assert (
        paired(
            keys(A), keys("alpha/pytorch-BaseX-single_device-inference", "alpha/pytorch-BaseY-single_device-inference")
        )
        == {}
    )


names = st.sets(st.text("abcdefgh", min_size=4, max_size=8), min_size=1, max_size=12)


@given(names)
def test_a_rename_of_everything_is_followed_one_by_one(variants: set[str]) -> None:
    old = [f"model/pytorch-{name}-single_device-full-inference" for name in sorted(variants)]
    new = [id.replace("-full", "") for id in old]
    found = paired(keys(*old), keys(*new))
    assert found == dict(zip(old, new, strict=True))


@given(names, names)
def test_no_two_become_one_and_only_new_ones_are_named(gone: set[str], come: set[str]) -> None:
    found = paired(keys(*gone), keys(*(come - gone)))
    assert found.keys() <= gone
    assert set(found.values()) <= come - gone
    assert len(set(found.values())) == len(found)
