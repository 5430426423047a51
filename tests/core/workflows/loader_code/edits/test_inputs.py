# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.inputs: additional inputs for training, by one statement."""

import ast
from typing import Any

import pytest
import torch

from core.workflows.loader_code import Start
from core.workflows.loader_code.analysis import NoSite
from core.workflows.loader_code.edits import SourceEdit, batch_of_two, decoder_inputs, detection_targets
from tests.support.loader_code import came, changed, loader, reason, tensor

IDS = tensor("input_ids", "int64", 2, 5)
SEQ2SEQ = ("input_ids", "attention_mask", "decoder_input_ids")
IMAGE = tensor("tensor", "bfloat16", 2, 3, 32, 64)
ONE_IMAGE = tensor("tensor", "bfloat16", 1, 3, 16, 16)


class Tokenizer:
    """Returns what tokenizers return."""

    def __call__(self) -> dict[str, torch.Tensor]:
        return {"input_ids": torch.arange(10).reshape(2, 5)}


def run(found: SourceEdit | NoSite, **arguments: Any) -> Any:
    """The result of `load_inputs` after the edit, really executed."""
    assert isinstance(found, SourceEdit), found
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
    assert isinstance(decoder_inputs(loader(*lines), [IDS], SEQ2SEQ, variant="Base"), SourceEdit)


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


BARE = "from einops import rearrange\n\n\nclass ModelLoader:\n    def load_inputs(self):\n        return x\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_without_torch_gets_its_import(end: str) -> None:
    for found in (
        detection_targets(BARE.replace("\n", end), [IMAGE], ("images", "targets")),
        decoder_inputs(BARE.replace("\n", end), [IMAGE], SEQ2SEQ),
    ):
        assert isinstance(found, SourceEdit)
        assert found.after.startswith(f"import torch{end}from einops")
        assert found.after.splitlines()[found.line - 1].strip().startswith("return {")
        assert found.after.count("\n") == found.after.count(end)


def test_torch_is_not_imported_for_what_does_not_need_it() -> None:
    tokens = BARE.replace("return x", "return {'input_ids': x}")
    found = decoder_inputs(tokens, [IDS], SEQ2SEQ)
    assert isinstance(found, SourceEdit) and "import torch" not in found.after


MADE = ["targets = [{} for _ in range(batch_size)]"]


@pytest.mark.parametrize(
    ("lines", "inputs", "line"),
    [
        ([*MADE, "return x"], [IMAGE], 'return {"images": x, "targets": targets}'),
        (
            [*MADE, 'return {"images": x}'],
            [tensor("images", "float32", 2, 3, 8, 8)],
            'return {"images": x, "targets": targets}',
        ),
        ([*MADE, "return x"], [tensor("images", "float32", 2, 3, 8, 8)], 'x["targets"] = targets'),
        (["if a:", "    targets = [1]", "else:", "    targets = [2]", "return x"], [IMAGE], '"targets": targets}'),
        (["targets = []", "for a in b:", "    targets.append(a)", "return x"], [IMAGE], '"targets": targets}'),
    ],
)
def test_targets_that_are_made_already_are_used(lines: list[str], inputs: list[dict[str, Any]], line: str) -> None:
    found = detection_targets(loader(*lines), inputs, ("images", "targets"))
    assert line in "\n".join(changed(found)[1])
    assert isinstance(found, SourceEdit) and "boxes" not in found.after and "made already" in found.summary


@pytest.mark.parametrize(
    "lines",
    [
        ["if a:", "    targets = [1]", "return x"],
        ["targets = None", "return x"],
        ["for targets in a:", "    pass", "return x"],
        ["def f():", "    targets = 1", "return x"],
        ["while a:", "    targets = 1", "return x"],
    ],
)
def test_targets_that_may_not_be_there_are_made(lines: list[str]) -> None:
    found = detection_targets(loader(*lines), [IMAGE], ("images", "targets"))
    assert isinstance(found, SourceEdit) and "boxes" in found.after


KEEPS = "\n    def load_model(self, dtype_override=None):\n        {}\n        return {}\n"


@pytest.mark.parametrize(
    ("lines", "more", "token"),
    [
        ([], "", "7"),
        ([], KEEPS.format("self.model = make()", "self.model"), "self.model.config.decoder_start_token_id"),
        ([], KEEPS.format("model = make(); self._kept = model", "model"), "self._kept.config.decoder_start_token_id"),
        (["model = self.load_model()"], "", "model.config.decoder_start_token_id"),
        (["config = T5Config.from_pretrained(a)"], "", "config.decoder_start_token_id"),
        (["if a:", "    config = T5Config.from_pretrained(a)"], "", "7"),
    ],
)
def test_decoders_start_as_the_configuration_says(lines: list[str], more: str, token: str) -> None:
    source = loader(*lines, "inputs = tokens()", "return inputs", more=more)
    found = decoder_inputs(source, [IDS], SEQ2SEQ, start=Start("config", 7))
    text = "".join(came(found)).replace(",)", ")").replace(",", ", ").replace("  ", " ")
    assert text == f'inputs["decoder_input_ids"] = torch.full((batch_size, 1), {token}, dtype=torch.long)'
    assert isinstance(found, SourceEdit) and max(map(len, found.after.splitlines())) <= 88


def test_decoders_whose_variants_differ_start_from_the_first_tokens_where_the_model_is_out_of_reach() -> None:
    found = decoder_inputs(loader("inputs = tokens()", "return inputs"), [IDS], SEQ2SEQ, start=Start("config", None))
    assert came(found) == ['inputs["decoder_input_ids"] = inputs["input_ids"][:, :1]']


def test_a_generation_configuration_is_asked_by_its_name() -> None:
    source = loader("return {'input_ids': x}", more=KEEPS.format("self.model = make()", "self.model"))
    found = decoder_inputs(source, [IDS], SEQ2SEQ, start=Start("generation_config", 7))
    assert "self.model.generation_config.decoder_start_token_id" in "".join(changed(found)[1])


CALL = ["return tokens(", "    # nothing", ")"]
IMAGES = ["return images(", "    2, 3,", "    32, 64,  # large", ")"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("lines", "inputs", "made"),
    [
        (CALL, [IDS], decoder_inputs),
        (IMAGES, [IMAGE], detection_targets),
        (["return (", "    images(2, 3,", "        32, 64)", ")"], [IMAGE], detection_targets),
        (["return(", "    images(2, 3, 32, 64)", ")"], [IMAGE], detection_targets),
        (
            ["return [", "    images(2, 3, 32, 64),  # one", "]"],
            [tensor("[0]", "float32", 2, 3, 32, 64)],
            detection_targets,
        ),
        (["return (", "    images(2, 3, 32, 64),", ")"], [tensor("[0]", "float32", 2, 3, 32, 64)], detection_targets),
    ],
)
def test_a_value_over_several_lines_keeps_them(
    lines: list[str], inputs: list[dict[str, Any]], made: Any, end: str
) -> None:
    source = loader(*lines).replace("\n", end)
    parameters = SEQ2SEQ if made is decoder_inputs else ("images", "targets")
    found = made(source, inputs, parameters)
    gone, _ = changed(found)
    assert len(gone) <= (3 if inputs[0]["name"] == "[0]" else 1), gone
    assert found.after.count("\n") == found.after.count(end)
    values = run(found, batch_size=2)
    assert list(values) == [inputs[0]["name"] if made is decoder_inputs else "images", *parameters[-1:]]


def test_a_batch_over_several_lines_keeps_them() -> None:
    one = batch_of_two(loader("return images(", "    self.n,", ")", signature="self"), [ONE_IMAGE])
    assert changed(one) == ([")"], [").repeat_interleave(2, dim=0)"])
    many = batch_of_two(
        loader("return [", "    a,", "    b,", "]", signature="self"),
        [tensor("[0]", "int64", 1), tensor("[1]", "int64", 1)],
    )
    assert changed(many)[0] == ["return ["]
    assert "return [one.repeat_interleave(2, dim=0) for one in inputs]" in changed(many)[1]


@pytest.mark.parametrize(
    ("lines", "inputs", "rows"),
    [
        (["return x"], [tensor("tensor", "float32", 1, 3, 8, 8)], "range(x.shape[0])"),
        (["return images(1)"], [tensor("tensor", "float32", 1, 3, 8, 8)], "range(1)"),
        (["return images(5)"], [tensor("tensor", "float32", 5, 3, 8, 8)], "range(5)"),
        (['return {"images": y}'], [tensor("images", "float32", 1, 3, 8, 8)], "range(y.shape[0])"),
        (["return x"], [tensor("images", "float32", 1, 3, 8, 8)], 'range(x["images"].shape[0])'),
        (["return [y]"], [tensor("[0]", "float32", 1, 3, 8, 8)], "range(y.shape[0])"),
        (["return [[a, b, c]]"], [tensor(f"[0][{n}]", "float32", 3, 8, 8) for n in range(3)], "range(3)"),
        (["return [[a, b]]"], [tensor(f"[0][{n}]", "float32", 3, 8, 8) for n in range(2)], "range(batch_size)"),
    ],
)
def test_there_is_a_target_for_each_image_that_there_is(
    lines: list[str], inputs: list[dict[str, Any]], rows: str
) -> None:
    found = detection_targets(loader(*lines), inputs, ("images", "targets"))
    assert isinstance(found, SourceEdit) and f"for _ in {rows}" in found.after


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


SPEECH = ("input_features", "attention_mask", "decoder_input_ids")
FEATURES = [tensor("[0]", "bfloat16", 2, 8), tensor("[1]", "int64", 2, 1)]


def speech(*last: str) -> str:
    """Two variants that return lists, one of them with a mask."""
    return loader(
        "features = images(2, 8)",
        "decoder_input_ids = tokens()['input_ids'][:, :1]",
        "if self._variant == ModelVariant.LARGE:",
        "    attention_mask = tokens()['input_ids']",
        "    return [features, attention_mask, decoder_input_ids]",
        *last,
    )


def test_the_return_of_another_variant_gets_the_same_edit_where_it_has_the_same_form() -> None:
    found = decoder_inputs(speech("return [features, decoder_input_ids]"), FEATURES, SPEECH, variant="Base")
    gone, added = changed(found)
    assert len(gone) == 2
    assert [line.strip() for line in added if "return {" in line or ":" in line] == [
        "return {",
        '"input_features": features,',
        '"attention_mask": attention_mask,',
        '"decoder_input_ids": decoder_input_ids,',
        'return {"input_features": features, "decoder_input_ids": decoder_input_ids}',
    ]
    assert isinstance(found, SourceEdit) and found.summary.endswith("in 2 returns of the same form")


@pytest.mark.parametrize(
    "last", ["return (features, decoder_input_ids)", "return tokens()", "return {'x': features}", "return [tokens()]"]
)
def test_a_return_of_another_form_stays(last: str) -> None:
    inputs = [tensor("[0]", "bfloat16", 2, 8), tensor("[1]", "int64", 2, 5), tensor("[2]", "int64", 2, 1)]
    found = decoder_inputs(speech(last), inputs, SPEECH, variant="Large")
    assert len([line for line in changed(found)[1] if line.startswith("return")]) == 1


def test_alone_the_other_return_stays() -> None:
    found = decoder_inputs(speech("return [features, decoder_input_ids]"), FEATURES, SPEECH, variant="Base", alone=True)
    assert changed(found)[0] == ["return [features, decoder_input_ids]"]


def test_of_returns_whose_condition_is_not_known_the_one_with_these_inputs_is_meant() -> None:
    source = speech("return [features, decoder_input_ids]").replace("self._variant == ModelVariant.LARGE", "self.new")
    assert len(changed(decoder_inputs(source, FEATURES, SPEECH))[0]) == 2


def test_both_returns_give_two_rows() -> None:
    lines = ["x = load()", "if self._variant == ModelVariant.LARGE:", "    x = x + 1", "    return x", "return x"]
    source = loader(*lines, signature="self, dtype_override=None")
    found = batch_of_two(source, [tensor("tensor", "float32", 1, 3)], variant="Base")
    assert changed(found)[1] == ["return x.repeat_interleave(2, dim=0)"] * 2
