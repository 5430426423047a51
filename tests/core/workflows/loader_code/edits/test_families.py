# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.families: the table, and what it does not settle."""

from typing import Any

import pytest

from core.workflows.loader_code.edits import Unpacking, losses_named, read_by, unpacking
from core.workflows.loader_code.edits.families import FAMILIES
from core.workflows.loader_code.edits.unpack import Form


def output(kind: str, **access: str) -> dict[str, Any]:
    """An output of float32 tensors with their access paths; `i_` makes integers, `n_` no gradient."""
    leaves = []
    for name in access:
        dtype = "int64" if name.startswith("i_") else "float32"
        leaf = {"name": name, "type": "Tensor", "dtype": dtype, "shape": [2, 3]}
        leaves.append(leaf if name[:2] in ("i_", "n_") else {**leaf, "requires_grad": True})
    return {"class": kind, "module": "m", "leaves": leaves, "access": list(access.values())}


def attributes(kind: str, *names: str) -> dict[str, Any]:
    return output(kind, **{name: f".{name}" for name in names})


def items(kind: str, count: int) -> dict[str, Any]:
    return output(kind, **{f"x{number}": f"[{number}]" for number in range(count)})


def only(found: Unpacking) -> tuple[str, Form, str]:
    (choice,) = found.choices
    return choice.selection.access, choice.selection.form, choice.attribute


@pytest.mark.parametrize(
    ("task", "made", "settled"),
    [
        ("nlp_causal_lm", attributes("CausalLMOutput", "loss", "logits", "hidden"), (".logits", Form.TENSOR, "logits")),
        ("cv_image_cls", attributes("O", "logits", "pooled"), (".logits", Form.TENSOR, "logits")),
        (
            "cv_depth_est",
            attributes("DepthMapOutput", "predicted_depth", "features"),
            (".predicted_depth", Form.TENSOR, "predicted_depth"),
        ),
        (
            "nlp_embed_gen",
            attributes("O", "last_hidden_state", "pooler_output"),
            (".last_hidden_state", Form.TENSOR, "last_hidden_state"),
        ),
        ("nlp_embed_gen", attributes("O", "pooler_output", "b"), (".pooler_output", Form.TENSOR, "pooler_output")),
        ("nlp_qa", attributes("O", "start_logits", "end_logits"), (".start_logits", Form.TENSOR, "start_logits")),
        (
            "cv_image_cls",
            output("MgpstrModelOutput", a=".logits[0]", b=".logits[1]", c=".x"),
            (".logits", Form.SUM, ""),
        ),
        ("cv_image_seg", output("dict", a='["logits"]', b='["aux"]'), ('["logits"]', Form.TENSOR, "")),
        ("cv_object_det", items("list", 3), ("", Form.SUM, "")),
        ("cv_object_det", output("tuple", a="[0][0]", b="[0][1]", c="[1][0]"), ("", Form.SUM_NESTED, "")),
        (
            "cv_object_det",
            output("tuple", cls_logits='[0]["cls_logits"]', bbox='[0]["bbox"]', n_0="[1][0]", n_1="[1][1]"),
            ("[0]", Form.SUM_VALUES, ""),
        ),
        ("cv_object_det", output("list", a="[0]", i_anchors="[1]", b="[2]"), ("", Form.SUM_PARTS, "")),
        (
            "cv_object_det",
            output("dict", pred_logits='["pred_logits"]', pred_boxes='["pred_boxes"]'),
            ("", Form.SUM_VALUES, ""),
        ),
        (
            "cv_object_det",
            output("dict", logits='["logits"]', boxes='["boxes"]', n_priors='["priors"]'),
            ("", Form.SUM_PARTS, ""),
        ),
        ("cv_image_cls", output("dict", loss_a='["loss_a"]', loss_b='["loss_b"]'), ("", Form.SUM_VALUES, "")),
        ("cv_image_cls", output("O", a=".logits[0]", n_b=".logits[1]", c=".x"), (".logits[0]", Form.TENSOR, "")),
        ("atomic_ml", output("tuple", a="[0]", n_b="[1]"), ("[0]", Form.TENSOR, "")),
        ("cv_object_det", output("dict", loss_a='["loss_a"]', loss_b='["loss_b"]'), ("", Form.SUM_VALUES, "")),
        ("cv_object_det", output("dict", a='["total_loss"]', b='["loss_b"]'), ('["total_loss"]', Form.TENSOR, "")),
        ("atomic_ml", items("tuple", 1), ("[0]", Form.TENSOR, "")),
        ("atomic_ml", output("tuple", a="[0]", i_b="[1]"), ("[0]", Form.TENSOR, "")),
        ("atomic_ml", attributes("O", "x", "i_y"), (".x", Form.TENSOR, "x")),
    ],
)
def test_what_is_settled(task: str, made: dict[str, Any], settled: tuple[str, Form, str]) -> None:
    assert only(unpacking(task, made)) == settled


@pytest.mark.parametrize(
    ("task", "made", "labels"),
    [
        ("atomic_ml", items("tuple", 2), ["output[0]", "output[1]", "sum of output"]),
        ("cv_image_cls", attributes("O", "a", "b"), ["a", "b", "output.a + output.b"]),
        (
            "cv_object_det",
            output("list", a="[0]", b="[1][0]", c="[1][1]", n_anchors="[2]"),
            [
                "output[0]",
                "output[1][0]",
                "output[1][1]",
                "sum of output[1]",
                "output[0] + output[1][0] + output[1][1]",
            ],
        ),
        (
            "cv_object_det",
            output("dict", logits='["logits"]', boxes='["boxes"]', features='["features"]', n_priors='["priors"]'),
            [
                *('output["logits"]', 'output["boxes"]', 'output["features"]', 'output["logits"] + output["boxes"]'),
                'output["logits"] + output["boxes"] + output["features"]',
            ],
        ),
        (
            "cv_image_seg",
            attributes("O", "class_logits", "mask_logits", "boxes", "hidden_state"),
            [
                *("class_logits", "mask_logits", "boxes", "hidden_state"),
                "output.class_logits + output.mask_logits",
                "output.class_logits + output.boxes",
                "output.mask_logits + output.boxes",
                "output.class_logits + output.mask_logits + output.boxes",
            ],
        ),
    ],
)
def test_what_a_person_decides(task: str, made: dict[str, Any], labels: list[str]) -> None:
    found = unpacking(task, made)
    assert [choice.label for choice in found.choices] == labels
    assert "a person has to say" in found.why


def test_of_many_heads_those_that_come_first_are_offered_together() -> None:
    labels = [choice.label for choice in unpacking("atomic_ml", items("tuple", 5)).choices]
    assert "output[0] + output[1]" in labels and "output[1] + output[2]" not in labels


def test_what_is_registered_and_no_tensor_is_offered_added_up_before_all_else() -> None:
    made = output("MgpstrModelOutput", a=".logits[0]", b=".logits[1]", c=".hidden")
    first = unpacking("cv_image_fe", made, registered="logits").choices[0]
    assert (first.label, first.selection.form) == ("sum of output.logits", Form.SUM)
    assert "loss is put on the features" in first.selection.loss


def test_nothing_without_a_gradient_is_offered_or_added_up() -> None:
    assert "no floating-point tensor that a gradient reaches" in unpacking("x", output("list", n_a="[0]")).why
    made = output("tuple", a="[0]", b="[1]", n_prior="[2]")
    for choice in unpacking("atomic_ml", made).choices:
        assert "[2]" not in choice.label
        assert "prior" in choice.selection.why.partition("Left out")[2]
        assert choice.selection.form is not Form.SUM


def test_nothing_is_claimed_of_the_loss_but_what_the_task_tells() -> None:
    heads = unpacking("cv_object_det", items("list", 3)).choices[0].selection
    assert "every one" not in heads.why
    assert heads.loss == "Its loss, by the task of the model: the classification and box losses of a detector."
    assert unpacking("atomic_ml", items("list", 3)).choices[0].selection.loss == ""
    assert unpacking("atomic_ml", items("list", 1)).choices[0].selection.loss


def test_the_losses_that_code_names() -> None:
    assert losses_named(["x = MultiBoxLoss()\ny = F.cross_entropy(a)", "MultiBoxLoss"]) == (
        "MultiBoxLoss",
        "cross_entropy",
    )


def test_a_person_names_the_loss_or_knows_of_none() -> None:
    choice = unpacking("atomic_ml", items("tuple", 2)).choices[0]
    assert read_by(choice, "FocalLoss").selection.loss == "It is the gradient source of FocalLoss."
    assert "not known" in read_by(choice, "").selection.loss


def test_nothing_to_unpack() -> None:
    assert unpacking("cv_image_cls", output("Tensor", tensor="")).choices == ()
    assert "no floating-point" in unpacking("cv_image_cls", output("list", i_a="[0]")).why


def test_no_task_belongs_to_two_families() -> None:
    tasks = [task for family in FAMILIES for task in family.tasks]
    assert len(tasks) == len(set(tasks))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_reason_reads_as_a_sentence(family: Any) -> None:
    (choice,) = unpacking(next(iter(family.tasks)), attributes("O", family.parts[0], "other")).choices
    article = "an" if family.name[0] in "aeiou" else "a"
    assert f"what the loss of {article} {family.name} model reads" in choice.selection.why
    assert "model model" not in choice.selection.why


def reaching(made: dict[str, Any], *groups: tuple[str, list[int]], feeds: dict[str, list[int]] | None = None) -> Any:
    """An output with the modules, of two parameters each, that its leaves reach."""
    told = [{"count": 2, "modules": [name], "more": False, "leaves": leaves} for name, leaves in groups]
    return {**made, "reach": {"groups": told, "feeds": feeds or {}}}


def shaped(made: dict[str, Any], last: list[int]) -> dict[str, Any]:
    """The same output with another shape of its last tensor."""
    made["leaves"][-1]["shape"] = last
    return made


def labels(task: str, made: dict[str, Any]) -> list[str]:
    return [choice.label for choice in unpacking(task, made).choices]


STEM = ("stem", [0, 1, 2])


@pytest.mark.parametrize(
    ("made", "first"),
    [
        # A tuple of logits and what they are made from: the logits alone.
        (reaching(items("tuple", 2), ("stem", [0, 1]), ("head", [1]), feeds={"0": [1]}), "output[1]"),
        # Two heads: neither alone.
        (reaching(items("tuple", 2), ("stem", [0, 1]), ("a", [0]), ("b", [1])), "sum of output"),
        # Two heads and the features before them: not the features.
        (
            reaching(shaped(items("tuple", 3), [2, 8, 4]), STEM, ("a", [0]), ("b", [1]), feeds={"2": [0, 1]}),
            "output[0] + output[1]",
        ),
        # BackStack of a pyramid, the last of them made from another: all of them.
        (
            reaching(items("tuple", 3), STEM, ("a", [0]), ("b", [1]), feeds={"1": [2]}),
            "sum of output",
        ),
        # BackStack of which some already reach every parameter: still all of them.
        (reaching(items("list", 5), ("stem", [0, 1, 2, 3, 4]), ("a", [0, 2]), ("b", [1, 3, 4])), "sum of output"),
        # Named outputs whose names say nothing.
        (reaching(attributes("O", "x", "y", "z"), STEM, ("a", [1]), ("b", [2])), "output.y + output.z"),
        # What is there for a second loss stays aside, whatever it reaches.
        (
            reaching(output("dict", out='["out"]', aux='["aux"]'), ("stem", [0, 1]), ("b", [1]), ("a", [0])),
            'output["out"]',
        ),
    ],
)
def test_what_leaves_no_parameter_without_a_gradient_comes_first(made: dict[str, Any], first: str) -> None:
    assert labels("atomic_ml", made)[0] == first
    assert sorted(labels("atomic_ml", made)) == sorted({*labels("atomic_ml", made)})
    assert f"The first, {first}, leaves" in unpacking("atomic_ml", made).why


def test_each_choice_says_which_parameters_get_no_gradient() -> None:
    made = reaching(items("tuple", 2), ("stem", [0, 1]), ("head.a", [0]), ("head.b", [1]), ("spare", []))
    found = unpacking("atomic_ml", made)
    words = {choice.label: choice.gradient.words for choice in found.choices if choice.gradient}
    assert words == {
        "sum of output": "Every parameter gets a gradient.",
        "output[0]": "No gradient for 2 of 6 parameters: head.b.",
        "output[1]": "No gradient for 2 of 6 parameters: head.a.",
    }
    assert "No part of the output reaches 2 parameters: spare." in found.why


def test_a_part_that_no_other_choice_covers_is_put_together() -> None:
    """Six tensors in two containers, of which the second of the first and the third of the second are needed."""
    access = {f"x{a}{b}": f".h{a}[{b}]" for a in range(2) for b in range(3)}
    made = reaching(output("O", **access), ("stem", [0, 1, 2, 3, 4, 5]), ("a", [1]), ("b", [5]))
    assert labels("atomic_ml", made)[0] == "output.h0[1] + output.h1[2]"


def test_without_the_gradients_the_order_stays() -> None:
    assert labels("atomic_ml", items("tuple", 2)) == ["output[0]", "output[1]", "sum of output"]
    assert all(choice.gradient is None for choice in unpacking("atomic_ml", items("tuple", 2)).choices)
