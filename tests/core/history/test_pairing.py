# SPDX-License-Identifier: Apache-2.0
"""Entries are paired only if something shows that one became the other, and never by a guess."""

import random

from hypothesis import given, strategies as st

from core.history.diff import Fields
from core.history.pairing import EntryEdit, Location, Placed, paired

PASSES, FAILS = {"status": "EXPECTED_PASSING"}, {"status": "KNOWN_FAILURE_XFAIL", "reason": "no"}


def placed(*names: str, file: str = "f", follows: str = "", fields: Fields = PASSES) -> list[Placed]:
    """Entries by directory and variant, such as `vit/pytorch-base`."""
    ids = (name if " " in name else f"{name}-single_device-inference" for name in names)
    return [Placed(Location(file, id), {**fields}, follows) for id in ids]


def renames(removed: list[Placed], added: list[Placed]) -> dict[str, str]:
    ends = "-single_device-inference"
    return {
        edit.before.id.removesuffix(ends): edit.after.id.removesuffix(ends)
        for edit in paired(removed, added)
        if edit.before and edit.after
    }


def test_every_entry_comes_out_once_with_its_fields() -> None:
    removed = placed("a/pytorch-x", "b/pytorch-y")
    added = placed("b/pytorch-Y", "c/pytorch-z", fields=FAILS, follows="elsewhere")
    assert [*paired(removed, added)] == [
        EntryEdit(removed[0].location, PASSES, None, None),
        EntryEdit(removed[1].location, PASSES, added[0].location, FAILS),
        EntryEdit(None, None, added[1].location, FAILS),
    ]


def test_the_same_id_in_another_file_is_moved_whatever_it_says() -> None:
    [edit] = paired(placed("a/pytorch-x"), placed("a/pytorch-x", file="g", fields=FAILS))
    assert (edit.before, edit.after) == (
        Location("f", "a/pytorch-x-single_device-inference"),
        Location("g", "a/pytorch-x-single_device-inference"),
    )


def test_of_two_files_it_could_have_moved_to_the_one_that_says_the_same() -> None:
    removed = placed("a/pytorch-x")
    same, other = placed("a/pytorch-x", file="g"), placed("a/pytorch-x", file="h", fields=FAILS)
    [edit, added] = paired(removed, other + same)
    assert (edit.after, added.before) == (same[0].location, None)
    again = placed("a/pytorch-x", file="i")
    assert all(edit.before is None or edit.after is None for edit in paired(removed, same + again))


def test_a_name_in_another_spelling_is_followed_anywhere() -> None:
    found = renames(
        placed("vgg/pytorch-bn_vgg19", "vgg/pytorch-vgg19_bn", "swin/pytorch-swin_t", follows="x"),
        placed("swin/pytorch-T", "vgg/pytorch-19_Bn", "vgg/pytorch-Bn_Vgg19", follows="y", fields=FAILS),
    )
    assert found == {"vgg/pytorch-bn_vgg19": "vgg/pytorch-Bn_Vgg19", "vgg/pytorch-vgg19_bn": "vgg/pytorch-19_Bn",
                     "swin/pytorch-swin_t": "swin/pytorch-T"}  # fmt: skip


def test_two_candidates_that_are_as_good_are_left_alone() -> None:
    assert renames(placed("a/pytorch-x_y"), placed("a/pytorch-x-y", "a/pytorch-y-x", follows="z")) == {}
    assert renames(placed("a/pytorch-x_y", "a/pytorch-y.x"), placed("a/pytorch-x-y", follows="z")) == {}


def test_another_name_is_followed_only_in_its_place() -> None:
    old, new = "resnet/pytorch-resnet_50_hf", "resnet/pytorch-ResNet50_HuggingFace"
    assert renames(placed(old), placed(new)) == {old: new}
    assert renames(placed(old), placed(new, follows="x")) == {}
    assert renames(placed(old), placed(new, file="g")) == {}
    assert renames(placed(old), placed(new, fields=FAILS)) == {}
    assert renames(placed(old), placed(new, "resnet/pytorch-101")) == {}
    assert renames(placed(old), placed(f"{new} full stop")) == {}


def test_places_are_recognised_by_neighbours_that_were_renamed_too() -> None:
    removed = placed("a/pytorch-one", "a/pytorch-anchor", "a/pytorch-two", "a/pytorch-three")
    added = placed("a/pytorch-Anchor", "a/pytorch-zwei", "a/pytorch-drei", "a/pytorch-uno")
    assert renames(removed, added) == {"a/pytorch-anchor": "a/pytorch-Anchor"}
    added = placed("a/pytorch-uno", "a/pytorch-Anchor", "a/pytorch-zwei", "a/pytorch-drei")
    assert renames(removed, added) == {
        "a/pytorch-one": "a/pytorch-uno", "a/pytorch-anchor": "a/pytorch-Anchor",
        "a/pytorch-two": "a/pytorch-zwei", "a/pytorch-three": "a/pytorch-drei",
    }  # fmt: skip


def test_a_slip_in_the_directory_is_fixed_but_another_model_is_another() -> None:
    old = "qwen_2_5/casual_lm/pytorch-7b"
    assert renames(placed(old), placed("qwen_2_5/causal_lm/pytorch-7b")) == {old: "qwen_2_5/causal_lm/pytorch-7b"}
    assert renames(placed(old), placed("qwen_2_6/casual_lm/pytorch-7b")) == {}
    assert renames(placed("vit/pytorch-base"), placed("deit/pytorch-base")) == {}
    assert renames(placed("a key with a slipp"), placed("a key with a slip")) == {
        "a key with a slipp": "a key with a slip"
    }


def test_one_part_of_an_llm_shape_may_change() -> None:
    def llm(*shapes: str) -> list[Placed]:
        return placed(*(f"llama/pytorch-3-llm_prefill-{shape}" for shape in shapes))

    assert renames(llm("seq_128-batch_1"), llm("seq_128-batch_2")) != {}
    assert renames(llm("seq_128-batch_1"), llm("seq_256-batch_2")) == {}
    assert renames(llm("seq_128-batch_1"), llm("seq_128-batch_2", "seq_128-batch_4")) == {}


@given(
    st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=8, unique=True),
    st.randoms(use_true_random=False),
)
def test_shuffled_renames_of_spelling_are_all_found(words: list[str], chance: random.Random) -> None:
    before = [f"{word}x/pytorch-{word}_v1_base" for word in words]
    after = [f"{word}x/pytorch-Base.{word.upper()}-V1" for word in words]
    shuffled = [*after]
    chance.shuffle(shuffled)
    assert renames(placed(*before), placed(*shuffled, follows="x")) == dict(zip(before, after, strict=True))
