# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.dtype: one constructor or one cast, and never a guess."""

import pytest

from core.base.errors import TTMatrixError
from core.workflows.loader_code.analysis import NoSite, Symptom
from core.workflows.loader_code.edits import SourceEdit, dtype_candidates
from core.workflows.loader_code.edits.dtype import dtype_site
from core.workflows.loader_code.edits.edit import EditKind
from tests.support.loader_code import came, changed, loader, reason

GUARD = "if dtype_override is not None:"


def site(source: str, *leaves: str, variant: str = "") -> SourceEdit | NoSite:
    return dtype_site(source, Symptom(leaves), variant=variant)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.zeros(batch_size, 6)", "torch.zeros(batch_size, 6, dtype=dtype_override)"),
        ("torch.ones((1, 2))", "torch.ones((1, 2), dtype=dtype_override)"),
        ("torch.full((2,), 0.5)", "torch.full((2,), 0.5, dtype=dtype_override)"),
        ("torch.tensor([0.5, 1])", "torch.tensor([0.5, 1], dtype=dtype_override)"),
        ("torch.tensor(numbers)", "torch.tensor(numbers, dtype=dtype_override)"),
        ("torch.arange(0, 1, 0.1)", "torch.arange(0, 1, 0.1, dtype=dtype_override)"),
        ("torch.eye(4,)", "torch.eye(4, dtype=dtype_override,)"),
        ("torch.linspace(0, 1, 5)", "torch.linspace(0, 1, 5, dtype=dtype_override)"),
        ("torch.randn(2, 3).unsqueeze(0)", "torch.randn(2, 3, dtype=dtype_override).unsqueeze(0)"),
        ("torch.rand(*shape)", "torch.rand(*shape, dtype=dtype_override)"),
        ("torch.zeros(4).to(device)", "torch.zeros(4, dtype=dtype_override).to(device)"),
        ("2 * torch.rand(4) / 3", "2 * torch.rand(4, dtype=dtype_override) / 3"),
        ("torch.stack([torch.rand(4)])", "torch.stack([torch.rand(4, dtype=dtype_override)])"),
        ("torch.zeros_like(other)", "torch.zeros_like(other, dtype=dtype_override)"),
        ("other.new_zeros(3)", "other.new_zeros(3, dtype=dtype_override)"),
        ("torch.ones(3, dtype=None)", None),
    ],
)
def test_constructors(before: str, after: str | None) -> None:
    found = site(loader(f"row = {before}", 'return {"row": row}'), "row")
    if after is None:
        assert came(found) == [GUARD, "row = row.to(dtype_override)"]
    else:
        assert changed(found) == ([f"row = {before}"], [f"row = {after}"])
        assert isinstance(found, SourceEdit) and found.kind is EditKind.CONSTRUCTOR


@pytest.mark.parametrize(
    "made",
    [
        "helper(batch_size)",
        "self.processor(image)",
        "torch.from_numpy(array)",
        "torch.zeros(3, dtype=torch.float32)",
        "torch.randint(0, 255, (3,)) / 255",
        "torch.rand(3).float()",
        "torch.rand(3).type(torch.FloatTensor)",
        "torch.Tensor([1.0])",
        "torch.softmax(torch.rand(3), 0)",
        "np.zeros(3)",
    ],
)
def test_what_is_unknown_is_cast(made: str) -> None:
    found = site(loader(f"row = {made}", 'return {"row": row}'), "row")
    assert came(found) == [GUARD, "row = row.to(dtype_override)"]
    assert isinstance(found, SourceEdit) and found.kind is EditKind.CAST


@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros(3, dtype=torch.long)",
        "torch.tensor([1, 2])",
        "torch.full((2,), 1)",
        "torch.arange(9)",
        "torch.randint(0, 9, (3,))",
        "torch.ones(3).bool()",
        "torch.ones_like(torch.arange(9))",
    ],
)
def test_integers_never(made: str) -> None:
    assert "integers" in reason(site(loader(f"row = {made}", 'return {"row": row}'), "row"))


@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros(3, dtype=dtype_override)",
        "torch.zeros(3).to(dtype_override)",
        "torch.zeros(3).to(dtype_override) if dtype_override is not None else torch.zeros(3)",
        "torch.zeros(3, dtype=dtype_override or torch.float32)",
    ],
)
def test_what_follows_the_override_is_left_alone(made: str) -> None:
    assert "follows dtype_override already" in reason(site(loader(f"row = {made}", 'return {"row": row}'), "row"))


def test_foreign_code_that_ignores_the_override_is_cast() -> None:
    found = site(loader("row = helper(dtype_override)", "return [row]"), "[0]")
    assert came(found) == [GUARD, "row = row.to(dtype_override)"]


@pytest.mark.parametrize(
    ("lines", "leaf"),
    [
        (["x = torch.rand(3)", "return x"], "tensor"),
        (["return torch.rand(3)"], "tensor"),
        (["return [ids, torch.rand(3)]"], "[1]"),
        (['return {"a": ids, "b": {"c": torch.rand(3)}}'], "b.c"),
        (['inputs = {"a": torch.rand(3)}', "return inputs"], "a"),
        (["inputs = {}", 'inputs["a"] = torch.rand(3)', "return inputs"], "a"),
        (["inputs = self.tokenizer()", 'inputs.update({"a": torch.rand(3)})', "return inputs"], "a"),
        (["inputs = self.tokenizer()", "inputs.update(a=torch.rand(3))", "return inputs"], "a"),
        (["inputs = dict(a=torch.rand(3))", "return dict(inputs)"], "a"),
        (["more = dict(a=torch.rand(3))", 'return {**more, "b": ids}'], "a"),
        (["x, y = torch.rand(3), ids", 'return {"a": x, "b": y}'], "a"),
        (["images = []", "for _ in range(2):", "    images.append(torch.rand(3))", "return images"], "[1]"),
        (["return [torch.rand(3) for _ in range(2)]"], "[0]"),
        (["images = [torch.rand(3) for _ in range(2)]", 'return {"a": [i.flatten() for i in images]}'], "a[1]"),
        (['x = {"a": torch.rand(3)}', "return {k: v.repeat(2) for k, v in x.items()}"], "a"),
        (['x = {"a": torch.rand(3)}', "for key in x:", "    x[key] = x[key].repeat(2)", "return x"], "a"),
        (
            ["if self.wide:", "    x = torch.rand(3)", "else:", "    x = torch.rand(4).to(dtype_override)", "return x"],
            "tensor",
        ),
        (["x = torch.rand(3)", "if batch_size > 1:", "    x = x.repeat(2)", "return x"], "tensor"),
        (["try:", "    x = torch.rand(3)", "except ValueError:", "    raise", "return x"], "tensor"),
        (["with torch.no_grad():", "    x = torch.rand(3)", "return x"], "tensor"),
        (["self.x = torch.rand(3)", "return self.x"], "tensor"),
        (["x = {}", "for k, n in (('a', 3), ('b', 4)):", "    x[k] = torch.rand(3)", "return x"], "a"),
        (["x: torch.Tensor = torch.rand(3)", "return x"], "tensor"),
    ],
)
def test_a_leaf_is_followed_to_its_constructor(lines: list[str], leaf: str) -> None:
    gone, added = changed(site(loader(*lines), leaf))
    assert len(gone) == len(added) == 1
    assert gone[0].replace("torch.rand(3)", "torch.rand(3, dtype=dtype_override)") == added[0]


@pytest.mark.parametrize(
    ("call", "signature"),
    [
        ("self._row(dtype_override)", "self, dtype_override"),
        ("self._row(dtype_override=dtype_override)", "self, dtype_override=None"),
        ("self._row(dtype_override)", "self, dtype"),
    ],
)
def test_helpers_of_the_file_are_entered(call: str, signature: str) -> None:
    name = signature.split()[1].split("=")[0]
    more = f"\n    def _row({signature}):\n        return torch.rand(3)\n"
    found = site(loader(f'return {{"row": {call}}}', more=more), "row")
    assert changed(found) == (["return torch.rand(3)"], [f"return torch.rand(3, dtype={name})"])


def test_a_helper_that_does_not_know_the_override_is_cast_where_it_is_used() -> None:
    found = site(loader("row = make()", "return row", more="\n\ndef make():\n    return torch.rand(3)\n"), "tensor")
    assert came(found) == [GUARD, "row = row.to(dtype_override)"]


def test_a_function_that_calls_itself_ends() -> None:
    more = "\n\ndef make(n):\n    return make(n - 1) if n else torch.rand(3)\n"
    assert isinstance(site(loader("row = make(9)", "return row", more=more), "tensor"), SourceEdit)


def test_an_expression_without_a_name_is_cast_in_its_place() -> None:
    assert changed(site(loader('return {"row": helper(1)}'), "row")) == (
        ['return {"row": helper(1)}'],
        ['return {"row": helper(1).to(dtype_override or torch.float32)}'],
    )


def test_part_of_a_foreign_mapping() -> None:
    found = site(loader("inputs = self.processor(image)", "return inputs"), "pixel_values")
    assert came(found) == [GUARD, 'inputs["pixel_values"] = inputs["pixel_values"].to(dtype_override)']


def test_a_cast_joins_the_guard_that_is_there() -> None:
    lines = ["a, b = helper()", GUARD, "    a = a.to(dtype_override)", "return [a, b]"]
    assert came(site(loader(*lines), "[1]")) == ["b = b.to(dtype_override)"]


def test_a_cast_comes_behind_all_branches() -> None:
    lines = ["if self.wide:", "    x = read(1)", "else:", "    x = read(2)", "x = x.repeat(2)", "return x"]
    found = site(loader(*lines), "tensor")
    assert isinstance(found, SourceEdit)
    assert (
        "\n        if dtype_override is not None:\n            x = x.to(dtype_override)\n        x = x.rep"
        in found.after
    )


def test_the_alias_of_a_function_is_used() -> None:
    lines = [
        "dtype = dtype_override or torch.bfloat16",
        "a = torch.rand(2, dtype=dtype)",
        "b = torch.rand(3)",
        "return [a, b]",
    ]
    assert changed(site(loader(*lines), "[1]"))[1] == ["b = torch.rand(3, dtype=dtype)"]


def test_no_override_in_the_signature() -> None:
    source = loader("return torch.rand(3)", signature="self, **kwargs")
    assert reason(site(source, "tensor")) == "load_inputs takes no dtype_override"


def test_inherited_from_elsewhere() -> None:
    source = "class ModelLoader(Base):\n    pass\n"
    assert reason(site(source, "tensor")) == "ModelLoader has no load_inputs in this file"


def test_what_is_not_returned() -> None:
    assert "not found" in reason(site(loader('return {"a": torch.rand(3)}'), "b"))


def test_several_leaves_from_one_constructor() -> None:
    lines = ["x = torch.rand(3)", 'return {"a": x, "b": x.repeat(2)}']
    assert changed(site(loader(*lines), "a", "b"))[1] == ["x = torch.rand(3, dtype=dtype_override)"]


def test_several_offenders() -> None:
    lines = ["x = torch.rand(3)", "y = torch.rand(4)", "return [x, y]"]
    assert reason(site(loader(*lines), "[0]", "[1]")) == (
        "several inputs would have to change: [0]: line 14; [1]: line 15"
    )


def test_a_choice_of_the_loader_is_not_overruled() -> None:
    lines = ["x = read()", "if dtype_override is not None and self.wide:", "    x = x.to(dtype_override)", "return x"]
    assert "line 15 decides case by case" in reason(site(loader(*lines), "tensor"))


def test_the_variant_decides_between_branches() -> None:
    lines = [
        "if self._variant == ModelVariant.LARGE:",
        "    a = read(1)",
        "    return [a]",
        "b = read(2)",
        "return [b]",
    ]
    assert "no name to cast it by" in reason(site(loader(*lines), "[0]"))
    assert came(site(loader(*lines), "[0]", variant="Large"))[1] == "a = a.to(dtype_override)"
    assert came(site(loader(*lines), "[0]", variant="Base"))[1] == "b = b.to(dtype_override)"


def test_layout_stays() -> None:
    lines = ["x = torch.rand(", "    batch_size,", "    3,  # channels", ")", "return x"]
    found = site(loader(*lines), "tensor")
    assert isinstance(found, SourceEdit)
    assert "3,  # channels" in found.after and "dtype=dtype_override" in found.after


def test_line_ends_stay() -> None:
    source = loader("x = read()", "return x").replace("\n", "\r\n")
    found = site(source, "tensor")
    assert isinstance(found, SourceEdit)
    assert found.after.count("\r\n") == found.after.count("\n") == source.count("\n") + 2


def test_a_byte_order_mark_stays() -> None:
    found = site("\ufeff" + loader("return torch.rand(3)"), "tensor")
    assert isinstance(found, SourceEdit)
    assert found.after == "\ufeff" + loader("return torch.rand(3, dtype=dtype_override)")


def test_the_line_of_a_traceback() -> None:
    source = loader("x = torch.zeros(4)", "y = read(dtype_override)", "x[mask] = y", "return x")
    found = dtype_site(source, Symptom(lines=(3, 17)))
    assert changed(found)[1] == ["x = torch.zeros(4, dtype=dtype_override)"]


def test_load_model_where_nothing_else_tells() -> None:
    model = "    def load_model(self, *, dtype_override=None):\n        m = Net(torch.zeros(4))\n        return m.to(dtype_override)\n"
    found = dtype_site(loader("return ids") + model, Symptom())
    assert changed(found)[1] == ["m = Net(torch.zeros(4, dtype=dtype_override))"]
    twice = model.replace("torch.zeros(4)", "torch.zeros(4), torch.ones(3)")
    assert "several constructors in load_model" in reason(dtype_site(loader("return ids") + twice, Symptom()))


MODEL = {
    "plain": ["model = Net()", "model.eval()", "return model"],
    "kept": ["self.model = Net()", "return self.model"],
}
MODEL["passed on"] = ["model = self.make(dtype_override)", "return model"]
MODEL["guarded"] = ["model = Net()", GUARD, "    model = model", "return model"]


def model(*lines: str, signature: str = "self, *, dtype_override=None") -> str:
    return loader("return torch.zeros(3, dtype=dtype_override)", more=_method("load_model", signature, *lines))


def _method(name: str, signature: str, *lines: str) -> str:
    return "\n".join([f"\n    def {name}({signature}):", *(f"        {line}" for line in lines), ""])


@pytest.mark.parametrize("lines", MODEL.values(), ids=MODEL)
def test_a_model_of_which_no_weight_follows_is_cast(lines: list[str]) -> None:
    found = dtype_site(model(*lines), Symptom(("tensor",), weights=frozenset({"float32"})))
    name = lines[0].partition(" ")[0]
    assert came(found)[-1] == f"{name} = {name}.to(dtype_override)"
    assert isinstance(found, SourceEdit) and found.summary == "cast the model to dtype_override"


def test_a_part_of_a_model_is_made_in_the_override_or_cast_with_the_rest() -> None:
    part = Symptom(weights=frozenset({"float32", "bfloat16"}))
    made = dtype_site(model("model = Net()", "model.scale = torch.ones(3)", "return model"), part)
    assert changed(made)[1] == ["model.scale = torch.ones(3, dtype=dtype_override)"]
    cast = dtype_site(model("model = Net()", "model.head = Head()", "return model"), part)
    assert came(cast) == [GUARD, "model = model.to(dtype_override)"]


def test_a_model_that_follows_or_cannot_is_left_alone() -> None:
    weights = Symptom(weights=frozenset({"float32"}))
    assert "no load_model" in reason(dtype_site(model("return Net()", signature="self"), weights))
    follows = model("model = Net()", "return model.to(dtype_override)")
    assert "in load_model" in reason(dtype_site(follows, Symptom(weights=frozenset({"bfloat16"}))))
    assert "follows dtype_override already" in reason(dtype_site(follows, weights))


def test_a_guard_that_leaves_things_as_they_are_is_no_choice() -> None:
    lines = ["x = {'a': torch.rand(3)}", GUARD, "    for k, v in x.items():", "        if v.is_floating_point():"]
    found = site(loader(*lines, "            x[k] = v", "return x"), "a")
    assert changed(found)[1] == ["x = {'a': torch.rand(3, dtype=dtype_override)}"]


def test_what_a_tensor_is_split_into() -> None:
    lines = ["a, b = torch.rand(4).chunk(2)", "return a, b"]
    assert changed(site(loader(*lines), "[0]", "[1]"))[1] == ["a, b = torch.rand(4, dtype=dtype_override).chunk(2)"]


def test_a_container_is_never_cast() -> None:
    assert "no name to cast it by" in reason(site(loader("return list(map(make, sizes))"), "[0]"))


def test_a_function_on_one_line_is_not_entered() -> None:
    found = site(loader("x = make()", "return x", more="\n\ndef make(): return torch.rand(3)\n"), "tensor")
    assert came(found) == [GUARD, "x = x.to(dtype_override)"]


def test_no_python() -> None:
    with pytest.raises(TTMatrixError, match="Cannot follow"):
        dtype_site("def (:", Symptom(("row",)))


OR_FLOAT = "to(dtype_override or torch.float32)"


@pytest.mark.parametrize(
    "value", ["table.ROWS", "table.ROWS[0]", "ROW", "ModelLoader.ROW", "cls.ROW", "Size.WIDE.value"]
)
def test_what_a_module_or_a_class_holds_is_cast_where_it_is_used_and_never_changed(value: str) -> None:
    found = site(loader(f'return {{"row": {value}}}'), "row")
    assert changed(found) == ([f'return {{"row": {value}}}'], [f'return {{"row": {value}.{OR_FLOAT}}}'])
    named = site(loader(f"row = {value}", 'return {"row": row}'), "row")
    assert came(named) == [GUARD, "row = row.to(dtype_override)"]


@pytest.mark.parametrize("value", ["table.INPUTS", "INPUTS", "{**INPUTS}"])
def test_a_dictionary_of_a_module_is_left_alone(value: str) -> None:
    assert "no name to cast it by" in reason(site(loader(f"return {value}"), "row"))


@pytest.mark.parametrize(
    ("value", "cast"),
    [("self.row", f"self.row.{OR_FLOAT}"), ("self.rows[0]", f"self.rows[0].{OR_FLOAT}")],
)
def test_what_the_loader_keeps_is_cast_where_it_is_used(value: str, cast: str) -> None:
    found = site(loader(f'return {{"row": {value}}}'), "row")
    assert changed(found) == ([f'return {{"row": {value}}}'], [f'return {{"row": {cast}}}'])


def test_a_dictionary_that_the_loader_keeps_is_cast_by_its_key() -> None:
    found = site(loader("return self.inputs"), "row")
    assert came(found) == [GUARD, 'self.inputs["row"] = self.inputs["row"].to(dtype_override)']


def test_a_part_is_named_as_the_code_names_it() -> None:
    found = site(loader("batch = self.processor(image)", 'return {"row": batch.row}'), "row")
    assert came(found) == [GUARD, "batch.row = batch.row.to(dtype_override)"]
    found = site(loader("batch = self.processor(image)", 'return {"row": batch["row"]}'), "row")
    assert came(found) == [GUARD, 'batch["row"] = batch["row"].to(dtype_override)']


def branches(other: str, returned: str = 'return {"row": row, "image": image}') -> str:
    """Two variants, each with its own return."""
    return loader(
        "if self._variant == ModelVariant.LARGE:",
        "    row = torch.zeros(2, 6)",
        "    image = torch.rand(2, 3, dtype=dtype_override)",
        '    return {"row": row, "image": image}',
        f"row = {other}",
        "image = torch.rand(1, 3, dtype=dtype_override)",
        returned,
    )


def test_the_branch_of_another_variant_gets_the_same_edit_where_its_return_has_the_same_form() -> None:
    found = site(branches("torch.zeros(1, 6)"), "row", variant="Large")
    assert changed(found)[1] == [
        "row = torch.zeros(2, 6, dtype=dtype_override)",
        "row = torch.zeros(1, 6, dtype=dtype_override)",
    ]
    assert isinstance(found, SourceEdit)
    assert found.summary == "make row by torch.zeros in dtype_override, in 2 branches of the same form"
    assert found.before == branches("torch.zeros(1, 6)")


@pytest.mark.parametrize(
    ("other", "returned"),
    [
        ("torch.zeros(1, 6, dtype=dtype_override)", 'return {"row": row, "image": image}'),
        ("torch.zeros(1, 6, dtype=torch.long)", 'return {"row": row, "image": image}'),
        ("processor()", 'return {"row": row, "image": image}'),
        ("torch.zeros(1, 6)", "return [row, image]"),
        ("torch.zeros(1, 6)", 'return {"image": image}'),
    ],
)
def test_a_branch_of_another_form_or_that_needs_no_edit_stays(other: str, returned: str) -> None:
    found = site(branches(other, returned), "row", variant="Large")
    assert changed(found)[1] == ["row = torch.zeros(2, 6, dtype=dtype_override)"]


def test_the_branch_of_the_variant_alone_is_tried_next() -> None:
    edits, _ = dtype_candidates(branches("torch.zeros(1, 6)"), Symptom(("row",)), variant="Large")
    assert [len(changed(one)[1]) for one in edits] == [2, 1]
