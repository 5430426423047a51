# SPDX-License-Identifier: Apache-2.0
"""core.triage.loader_code.families: the table, and what it does not settle."""

from typing import Any

import pytest

from core.triage.loader_code.families import FAMILIES, Unpacking, unpacking
from core.triage.loader_code.selection import Form


def output(kind: str, **access: str) -> dict[str, Any]:
    """An output of float32 tensors, each with how Python comes to it; `i_` makes one of integers."""
    leaves = [
        {"name": name, "type": "Tensor", "dtype": "int64" if name.startswith("i_") else "float32", "shape": [2, 3]}
        for name in access
    ]
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
        ("cv_object_det", output("tuple", a="[0][0]", b="[0][1]", c="[1]"), ("", Form.SUM_NESTED, "")),
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
    ("task", "made", "accesses"),
    [
        ("atomic_ml", items("tuple", 2), ["[0]", "[1]", ""]),
        ("cv_image_cls", items("tuple", 2), ["[0]", "[1]", ""]),
        ("cv_image_cls", attributes("O", "a", "b"), [".a", ".b"]),
        ("cv_object_det", output("list", a="[0]", i_anchors="[1]", b="[2]"), ["[0]", "[2]", ""]),
    ],
)
def test_what_a_person_decides(task: str, made: dict[str, Any], accesses: list[str]) -> None:
    found = unpacking(task, made)
    assert [choice.selection.access for choice in found.choices] == accesses
    assert "a person has to say" in found.why


def test_nothing_to_unpack() -> None:
    assert unpacking("cv_image_cls", output("Tensor", tensor="")).choices == ()
    assert "no floating-point" in unpacking("cv_image_cls", output("list", i_a="[0]")).why


def test_the_docstring_tells_shapes() -> None:
    choice = unpacking("cv_object_det", items("list", 14)).choices[0]
    assert choice.selection.structure.startswith("list of x0: Tensor [2, 3], x1: ")
    assert choice.selection.structure.endswith("and 2 more; seen with two rows.")


def test_no_task_belongs_to_two_families() -> None:
    tasks = [task for family in FAMILIES for task in family.tasks]
    assert len(tasks) == len(set(tasks))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_reason_reads_as_a_sentence(family: Any) -> None:
    (choice,) = unpacking(next(iter(family.tasks)), attributes("O", family.parts[0], "other")).choices
    article = "an" if family.name[0] in "aeiou" else "a"
    assert f"what the loss of {article} {family.name} model reads" in choice.selection.why
    assert "model model" not in choice.selection.why
