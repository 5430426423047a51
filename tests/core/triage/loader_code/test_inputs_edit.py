# SPDX-License-Identifier: Apache-2.0
"""core.triage.loader_code.inputs_edit: what training wants besides, by one statement."""

import ast
from typing import Any

import pytest
import torch

from core.triage.loader_code.edit import Edit, NoSite
from core.triage.loader_code.inputs_edit import batch_of_two, decoder_inputs, detection_targets
from tests.support.loader_code import came, changed, loader, reason, tensor

IDS, FEATURES = tensor("input_ids", "int64", 2, 5), tensor("input_features", "bfloat16", 2, 8, 9)
SEQ2SEQ = ("input_ids", "attention_mask", "decoder_input_ids")
IMAGE = tensor("tensor", "bfloat16", 2, 3, 32, 64)
ONE_IMAGE = tensor("tensor", "bfloat16", 1, 3, 16, 16)


class Tokenizer:
    """Gives what tokenizers give."""

    def __call__(self) -> dict[str, torch.Tensor]:
        return {"input_ids": torch.arange(10).reshape(2, 5)}


def run(found: Edit | NoSite, **arguments: Any) -> Any:
    """What `load_inputs` returns after the edit, run for real."""
    assert isinstance(found, Edit), found
    cls = next(node for node in ast.parse(found.after).body if getattr(node, "name", "") == "ModelLoader")
    assert isinstance(cls, ast.ClassDef)
    names: dict[str, Any] = {"torch": torch, "tokens": Tokenizer(), "images": lambda *shape, **_: torch.zeros(*shape)}
    exec(compile(ast.Module(cls.body, []), "loader.py", "exec"), names)
    return names["load_inputs"](None, **arguments)


@pytest.mark.parametrize(
    "lines",
    [
        ["return tokens()"],
        ["inputs = tokens()", "return inputs"],
        ["ids = tokens()['input_ids']", 'return {"input_ids": ids}'],
        ['return {"input_ids": tokens()["input_ids"]}'],
        ["return {", '    "input_ids": tokens()["input_ids"],', "}"],
        ["return {", '    "input_ids": tokens()["input_ids"]', "}"],
        ["return {**tokens()}"],
    ],
)
def test_decoder_inputs_of_a_mapping(lines: list[str]) -> None:
    inputs = run(decoder_inputs(loader(*lines), [IDS], SEQ2SEQ), batch_size=2)
    assert list(inputs) == ["input_ids", "decoder_input_ids"]
    assert inputs["decoder_input_ids"].shape == (2, 1) and inputs["decoder_input_ids"].dtype == torch.int64


def test_one_statement_more() -> None:
    found = decoder_inputs(loader("inputs = tokens()", "return inputs"), [IDS], SEQ2SEQ)
    assert came(found) == ['inputs["decoder_input_ids"] = inputs["input_ids"][:, :1]']


def test_a_sequence_becomes_a_mapping() -> None:
    lines = ["ids = tokens()['input_ids']", "mask = ids", "return [ids, mask]"]
    inputs = run(decoder_inputs(loader(*lines), [tensor("[0]", "int64", 2, 5), tensor("[1]", "int64", 2, 5)], SEQ2SEQ))
    assert list(inputs) == list(SEQ2SEQ)


def test_a_misplaced_variable_gets_its_own_name() -> None:
    found = decoder_inputs(
        loader("return [features, decoder_input_ids]"),
        [tensor("[0]", "bfloat16", 1, 8), tensor("[1]", "int64", 1, 2)],
        ("input_features", "attention_mask", "decoder_input_ids"),
    )
    assert changed(found)[1] == ['return {"input_features": features, "decoder_input_ids": decoder_input_ids}'] or (
        "input_features" in "".join(changed(found)[1]) and "attention_mask" not in "".join(changed(found)[1])
    )


def test_a_sequence_in_a_variable() -> None:
    lines = ["inputs = [tokens()['input_ids']]", "return inputs"]
    inputs = run(decoder_inputs(loader(*lines), [tensor("[0]", "int64", 2, 5)], SEQ2SEQ), batch_size=2)
    assert list(inputs) == ["input_ids", "decoder_input_ids"]


def test_a_tensor() -> None:
    inputs = run(
        decoder_inputs(loader("return images(2, 8)"), [tensor("tensor", "int64", 2, 8)], SEQ2SEQ), batch_size=2
    )
    assert inputs["input_ids"].shape == (2, 8) and inputs["decoder_input_ids"].tolist() == [[0], [0]]


def test_without_a_batch_size_the_rows_are_counted() -> None:
    source = loader("x = images(3, 8)", "return x", signature="self, dtype_override=None")
    inputs = run(decoder_inputs(source, [tensor("tensor", "int64", 3, 8)], SEQ2SEQ))
    assert inputs["decoder_input_ids"].shape == (3, 1)


def test_no_decoder_inputs() -> None:
    one = loader('return {"decoder_input_ids": x}')
    assert "passed already" in reason(decoder_inputs(one, [IDS], SEQ2SEQ))
    assert "takes no" in reason(decoder_inputs(loader("return x"), [IDS], ("x",)))
    twice = loader("if self.a:", "    return x", "return y")
    assert "several places: lines 15, 16" in reason(decoder_inputs(twice, [IDS], SEQ2SEQ))
    assert "parameters are not known" in reason(decoder_inputs(loader("return x"), [tensor("tensor", "int64", 1)], ()))
    assert "no load_inputs" in reason(decoder_inputs("class ModelLoader(B):\n    pass\n", [IDS], SEQ2SEQ))


def test_the_return_of_the_variant() -> None:
    lines = ["if self._variant == ModelVariant.LARGE:", "    return images(1)", "return tokens()"]
    assert isinstance(decoder_inputs(loader(*lines), [IDS], SEQ2SEQ, variant="Base"), Edit)


@pytest.mark.parametrize("lines", [["return images(2, 3, 32, 64)"], ["x = images(2, 3, 32, 64)", "return x"]])
def test_targets(lines: list[str]) -> None:
    inputs = run(
        detection_targets(loader(*lines), [IMAGE], ("images", "targets")), batch_size=2, dtype_override=torch.bfloat16
    )
    assert list(inputs) == ["images", "targets"] and len(inputs["targets"]) == 2
    for target in inputs["targets"]:
        left, top, right, bottom = target["boxes"].squeeze(0).tolist()
        assert 0 <= left < right <= 64 and 0 <= top < bottom <= 32
        assert target["boxes"].dtype == torch.bfloat16
        assert target["labels"].dtype == torch.int64 and target["labels"].min() > 0


def test_boxes_stay_float32_where_images_do() -> None:
    kept = tensor("tensor", "float32", 2, 3, 32, 64)
    found = detection_targets(loader("return images(2, 3, 32, 64)"), [kept], ("x", "targets"))
    inputs = run(found, dtype_override=torch.bfloat16)
    assert list(inputs) == ["x", "targets"] and inputs["targets"][0]["boxes"].dtype == torch.float32


def test_targets_join_a_mapping() -> None:
    image = tensor("pixel_values", "bfloat16", 2, 3, 8, 8)
    lines = ["inputs = dict(pixel_values=images(2, 3, 8, 8))", "return inputs"]
    inputs = run(detection_targets(loader(*lines), [image], ("pixel_values", "targets")), batch_size=2)
    assert list(inputs) == ["pixel_values", "targets"]


def test_no_targets() -> None:
    assert "takes no targets" in reason(detection_targets(loader("return x"), [IMAGE], ("images",)))
    assert "no input is an image" in reason(detection_targets(loader("return x"), [IDS], ("images", "targets")))
    bare = "class ModelLoader:\n    def load_inputs(self):\n        return x\n"
    assert "import torch" in reason(detection_targets(bare, [IMAGE], ("images", "targets")))


@pytest.mark.parametrize(
    ("lines", "inputs", "line"),
    [
        (["return images(1, 3, 16, 16)"], [ONE_IMAGE], "return images(2, 3, 16, 16)"),
        (["x = torch.zeros((1, 3, 16, 16))", "return x"], [ONE_IMAGE], "x = torch.zeros((2, 3, 16, 16))"),
        (["x = images(self.n)", "return x"], [ONE_IMAGE], "return x.repeat_interleave(2, dim=0)"),
        (["return a + b"], [ONE_IMAGE], "return (a + b).repeat_interleave(2, dim=0)"),
        (
            ["return [a, b]"],
            [tensor("[0]", "int64", 1, 2), tensor("[1]", "int64", 1)],
            "return [one.repeat_interleave(2, dim=0) for one in [a, b]]",
        ),
        (
            ["return x"],
            [tensor("a", "int64", 1, 2)],
            "return {key: one.repeat_interleave(2, dim=0) for key, one in x.items()}",
        ),
    ],
)
def test_two_rows(lines: list[str], inputs: list[dict[str, Any]], line: str) -> None:
    found = batch_of_two(loader(*lines, signature="self, dtype_override=None"), inputs)
    assert changed(found)[1] == [line]


def test_no_two_rows() -> None:
    assert "runner passes" in reason(batch_of_two(loader("return x"), [ONE_IMAGE]))
    plain = loader("return x", signature="self")
    assert "one row" in reason(batch_of_two(plain, [IMAGE]))
    assert "one row" in reason(batch_of_two(plain, [tensor("a", "int64")]))
    assert "nested" in reason(batch_of_two(plain, [tensor("a.b", "int64", 1, 2)]))
