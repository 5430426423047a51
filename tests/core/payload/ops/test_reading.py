# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.reading: what a manifest says, with defaults filled in, and where its mistakes are."""

import math
from pathlib import Path

import pytest

from core.payload.ttmatrix_payload.ops import Case, Manifest, Tensor, Value, read_file, read_text
from core.payload.ttmatrix_payload.ops.cases import Condition, DeviceName, DtypeName, FormatName, Raises

SAMPLE = Path(__file__).parents[4] / "core/demo/tree/tests/op_manifests"


def _case(keys: str, head: str = "") -> Case:
    manifest = read_text(f"{head}cases:\n  - {{op: torch.add, {keys}}}\n", "some/m.yaml")
    assert manifest.problems == ()
    return manifest.cases[0]


def _tensor(keys: str, head: str = "") -> Tensor:
    (found,) = _case(f"inputs: [{{tensor: {{{keys}}}}}]", head).inputs
    assert isinstance(found, Tensor)
    return found


def _problems(text: str) -> list[tuple[str, int, int, str, str, bool]]:
    return [tuple(one) for one in read_text(text, "m.yaml").problems]  # type: ignore[misc]


def test_defaults_of_everything() -> None:
    case = _case("")
    assert case == Case("torch.add", "torch.add", line=2, column=5)
    assert (case.dtype, case.seed, case.rtol, case.atol) == ("float16", 0, 5e-3, 5e-3)
    assert read_text("cases: []\n", "some/m.yaml") == Manifest("some/m.yaml", "m")


@pytest.mark.parametrize("word", ["default", "defaults"])
def test_the_block_of_defaults_has_two_names(word: str) -> None:
    head = f"model: x\n{word}: {{dtype: bf16, seed: 3, rtol: 1e-2, atol: 0, skip_if: 'False'}}\n"
    case = _case("atol: 0.5", head)
    assert (case.dtype, case.seed, case.rtol, case.atol) == ("bfloat16", 3, 0.01, 0.5)
    assert case.skip_if == (Condition("False"),)
    assert _tensor("shape: [2]", head).dtype == "bfloat16"


def test_the_op_of_the_file() -> None:
    manifest = read_text("op: torch.mul\ncases:\n  - name: a\n  - {name: b, op: torch.add}\n", "m.yaml")
    assert [case.op for case in manifest.cases] == ["torch.mul", "torch.add"]


@pytest.mark.parametrize("spelling", ["fp16", "float16", "torch.float16", "Torch.Float16", "half", "FP16"])
def test_spellings_of_a_dtype(spelling: str) -> None:
    assert _case(f"dtype: {spelling}").dtype == "float16"


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("3", 3),
        ("-1.5e-3", -0.0015),
        ("1e-3", 0.001),
        ("true", True),
        ("null", None),
        ("~", None),
        ("[2, [3, null]]", [2, [3, None]]),
        ("'(Ellipsis, None)'", (..., None)),
        ("'None'", None),
        ("'(1,)'", (1,)),
        ("'slice(None, 2)'", slice(None, 2)),
        ("torch.float32", DtypeName("float32")),
        ("bf16", DtypeName("bfloat16")),
        ("'cuda:0'", DeviceName("cuda:0")),
        ("cpu", DeviceName("cpu")),
        ("torch.channels_last", FormatName("channels_last")),
        ("ij", "ij"),
        ("floor", "floor"),
        ("'b h d, b d -> b h'", "b h d, b d -> b h"),
        (".inf", math.inf),
        ("0x1F", 31),
        ("010", 10),
        ("yes", "yes"),
        ("1_000", 1000),
    ],
)
def test_values_and_keywords(written: str, value: object) -> None:
    case = _case(f"inputs: [{{value: {written}}}], attrs: {{a: 0, b: 1}}, kwmap: {{a: {written}}}")
    (argument,) = case.inputs
    assert isinstance(argument, Value) and argument.value == value and type(argument.value) is type(value)
    assert case.keywords == {"a": value, "b": 1}


def test_tensors() -> None:
    assert _tensor("shape: []") == Tensor((), "float16")
    assert _tensor("shape: [0, 3], init: randint, init_args: {high: 9}") == Tensor(
        (0, 3), "int64", "randint", {"low": 0, "high": 9}
    )
    assert _tensor("shape: [2], dtype: int32, init_args: {high: 9}").init == "randint"
    assert _tensor("shape: [2], init_args: {low: -1}").init_args == {"low": -1, "high": 1}
    data = _tensor("shape: [2, 2], data: [[1, 2], [3, .nan]]")
    assert (data.init, str(data.data)) == ("data", "[[1, 2], [3, nan]]")
    assert _tensor("shape: [2], init: data, init_args: [1, 2]").data == [1, 2]
    file = _tensor("shape: [2], init: file, init_args: {path: a/b.pt, key: w}")
    assert (file.file, file.key, file.init_args) == ("a/b.pt", "w", {})


@pytest.mark.parametrize(
    ("keys", "contiguous"),
    [
        ("", True),
        (", preset: transpose_view", False),
        (", stride: [1, 2]", False),
        (", stride: [1, 2], contiguous: true", True),
    ],
)
def test_a_preset_or_a_stride_stays_unless_another_is_asked_for(keys: str, contiguous: bool) -> None:
    assert _tensor(f"shape: [2, 3]{keys}").contiguous is contiguous


def test_presets_have_their_defaults() -> None:
    assert _tensor("shape: [4], preset: noncontig_slice").preset_args == {"dim": 0, "step": 2}
    assert _tensor("shape: [4, 6], preset: noncontig_slice").preset_args == {"dim": 1, "step": 2}
    assert _tensor("shape: [4, 6], preset: noncontig_slice, base_shape: [4, 11]").base_shape == (4, 11)
    assert _tensor("shape: [4, 6], preset: expand_view0, base_shape: [6]").base_shape == (6,)


def test_other_arguments() -> None:
    case = _case(
        "inputs: [{tensor_list: [{shape: [1]}, {tensor: {shape: [2]}}]}, {py: '(1, ...)'}, {file: w.pt}, {file: {path: a/w.npy, key: k}}]"
    )
    several, literal, file, part = case.inputs
    assert several == (Tensor((1,), "float16"), Tensor((2,), "float16"))
    assert literal == Value((1, ...))
    assert file == Tensor((), "", init="file", file="w.pt", contiguous=False)
    assert isinstance(part, Tensor) and (part.file, part.key) == ("a/w.npy", "k")


def test_expected_errors() -> None:
    both = _case("expects_error: {match: view}").expects_error
    assert both == (Raises("RuntimeError", "view"), Raises("RuntimeError", "view"))
    sides = _case("expects_error: {ref: {type: IndexError}, spyre: {type: TypeError, match_re: a.b}}").expects_error
    assert sides == (Raises("IndexError"), Raises("TypeError", "", "a.b"))
    assert _case("expects_error: {test: {match: x}}").expects_error == (Raises(match="x"), Raises(match="x"))
    (warning,) = _problems("cases: [{op: torch.add, expected_errors: {match: view}}]\n")
    assert warning[5] and "read as expects_error" in warning[0]


def test_marks_skips_and_expected_failures() -> None:
    assert _case("marks: [a, b, a]").marks == ("a", "b")
    assert _case("mark: 'a, b c'").marks == ("a", "b", "c")
    assert _case("skip_if: model == 'x'").skip_if == (Condition("model == 'x'"),)
    several = _case("skip_if: [{expr: 'True', reason: why}, 'False']").skip_if
    assert several == (Condition("True", "why"), Condition("False"))
    case = _case("xfail_reason: why, xfail_strict: true, pcc: 0.99")
    assert (case.xfail_if, case.xfail_reason, case.xfail_strict, case.pcc) == ("True", "why", True, 0.99)


@pytest.mark.parametrize(
    ("keys", "message", "at", "hint"),
    [
        (
            "inputs: [{tensor: {shape: [2], dtpye: bf16}}]",
            "unknown key 'dtpye' in tensor",
            "dtpye",
            "did you mean dtype?",
        ),
        (
            "inputs: [{tensor: {shape: [2], dtype: float17}}]",
            "'float17' is not a dtype",
            "float17",
            "did you mean float16?",
        ),
        ("inputs: [{tensor: {shape: [2], init: zeroes}}]", "unknown init 'zeroes'", "zeroes", "did you mean zeros?"),
        ("inputs: [{tensr: {shape: [2]}}]", "unknown kind of argument 'tensr'", "tensr", "did you mean tensor?"),
        ("inputs: {tensor: {shape: [2]}}", "inputs must be a list", "{tensor", "write a dash"),
        ("inputs: [{tensor: {init: rand}}]", "a tensor needs a shape", "{init", ""),
        ("inputs: [{tensor: {shape: [2], dtype: int8}}]", "rand gives only zeros in int8", "{shape", ""),
        ("inputs: [{tensor: {shape: [2], init: randint}}]", "needs init_args with high", "{shape", ""),
        ("inputs: [{tensor: {shape: [2], init: full}}]", "needs init_args: {fill_value", "full", ""),
        ("inputs: [{tensor: {shape: [3], data: [1, 2]}}]", "data has 2 values, shape needs 3", "[1, 2]", ""),
        ("inputs: [{tensor: {shape: [3], init: eye}}]", "init: eye needs 2 dimensions", "[3]", ""),
        ("inputs: [{tensor: {shape: [3], dtype: bool, init: randn}}]", "needs a floating dtype, not bool", "randn", ""),
        ("inputs: [{tensor: {shape: [3], stride: [1, 1]}}]", "stride has 2 numbers, shape has 1", "[1, 1]", ""),
        ("inputs: [{tensor: {shape: [3], preset: expand_view0}}]", "needs a base_shape", "expand_view0", ""),
        (
            "inputs: [{tensor: {shape: [3], preset: expand_view0, base_shape: [2]}}]",
            "does not have the shape [3]",
            "[2]",
            "",
        ),
        ("inputs: [{tensor: {shape: [3], base_shape: [2]}}]", "base_shape needs a preset", "[2]", ""),
        ("inputs: [{py: '(1, two)'}]", "py: unknown name 'two'", "two", ""),
        ("mark: a, marks: b", "there are both mark and marks", "marks", "keep one"),
        ("skip_if: {exrp: 'True'}", "unknown key 'exrp' in skip_if", "exrp", "did you mean expr?"),
        ("skip_if: modle == 'x'", "condition: unknown name 'modle'", "modle", ""),
        (
            "expects_error: {type: RuntimeErr}",
            "unknown error 'RuntimeErr'",
            "RuntimeErr}",
            "did you mean RuntimeError?",
        ),
        ("seed: true", "seed must be a whole number, not True", "true", ""),
        ("rtol: '0.1'", "rtol must be a number", "'0.1'", ""),
        ("xfail_strict: 1", "xfail_strict must be true or false", "1", ""),
        ("kwmap: {dtype: bf61}", "'bf61' is not a dtype", "bf61", ""),
        ("kwmap: {dim: {a: 1}}", "not a mapping", "{a", ""),
        ("opp: torch.mul", "unknown key 'opp' in a case", "opp", "did you mean op?"),
        ("marks: ['a b-c']", "'b-c' is not a name of a marker", "'a b-c'", ""),
    ],
)
def test_mistakes_have_their_place_and_hint(keys: str, message: str, at: str, hint: str) -> None:
    line = f"  - {{name: bad, op: torch.add, {keys}}}"
    manifest = read_text(f"cases:\n  - {{name: good, op: torch.add}}\n{line}\n", "m.yaml")
    (problem,) = manifest.problems
    assert message in problem.message
    assert (problem.line, problem.case, problem.hint.startswith(hint)) == (3, "bad", True)
    assert line[problem.column - 1 :].startswith(at)
    assert [case.name for case in manifest.cases] == ["good"]


def test_several_mistakes_of_one_case_are_all_said() -> None:
    text = "cases:\n  - name: a\n    op: torch.add\n    seed: x\n    inputs:\n      - value: {}\n      - tensor: {shape: [2], dtype: a, init: b}\n    marks: 1-\n"
    assert [(one[0][:20], one[1]) for one in _problems(text)] == [
        ("seed must be a whole", 4),
        ("'1-' is not a name o", 8),
        ("must be a single val", 6),
        ("'a' is not a dtype", 7),
        ("unknown init 'b'", 7),
    ]


def test_problems_outside_of_cases_leave_the_cases() -> None:
    manifest = read_text("modle: x\ndefaults: {sed: 1}\ncases:\n  - {op: torch.add}\n", "m.yaml")
    assert [(one.message, one.line, one.column, one.hint) for one in manifest.problems] == [
        ("unknown key 'modle' in a manifest", 1, 1, "did you mean model?"),
        ("unknown key 'sed' in defaults", 2, 12, "did you mean seed?"),
    ]
    assert len(manifest.cases) == 1


def test_a_warning_keeps_the_case() -> None:
    manifest = read_text("cases:\n  - {op: torch.add, inputs: [{tensor: {shape: [70000], init: arange}}]}\n", "m.yaml")
    assert [problem.warning for problem in manifest.problems] == [True]
    assert len(manifest.cases) == 1


def test_the_sample_and_the_template_of_the_rfc() -> None:
    for path in SAMPLE.glob("*.yaml"):
        assert read_file(path).problems == ()


def test_the_template_as_it_was_proposed(real_manifest: Path) -> None:
    manifest = read_file(real_manifest.with_name("template.yaml"))
    assert (len(manifest.cases), manifest.problems) == (13, ())
    by_name = {case.name: case for case in manifest.cases}
    integers = by_name["mul_inttensor_scalar"].inputs[0]
    assert isinstance(integers, Tensor) and integers.dtype == "int64"
    noncontiguous = by_name["view_should_error_on_noncontig"].inputs[0]
    assert isinstance(noncontiguous, Tensor) and not noncontiguous.contiguous


@pytest.mark.parametrize(
    ("op", "meant"),
    [
        ("torch.sotfmax", "torch.softmax"),
        ("torch.nn.functional.geluu", "torch.nn.functional.gelu"),
        ("torch.ops.aten.reshap.default", "torch.ops.aten.reshape.default"),
        ("torch.Tensor.reshap", "torch.Tensor.reshape"),
        ("torch.nothing_like_it_at_all", ""),
    ],
)
def test_an_op_that_torch_is_not_known_to_have_is_a_warning(op: str, meant: str) -> None:
    found = read_text(f"cases:\n  - {{name: a, op: {op}}}\n", "m.yaml")
    (problem,) = found.problems
    assert [case.op for case in found.cases] == [op]
    assert (problem.warning, problem.message) == (True, f"torch has no op {op} that is known here")
    assert problem.hint == (f"did you mean {meant}?" if meant else "")
    assert (problem.correction is not None) is bool(meant)
    block = read_text(f"cases:\n  - name: a\n    op: {op}\n", "m.yaml")
    assert [one.message for one in block.problems] == [problem.message]


@pytest.mark.parametrize(
    "op", ["torch.add", "torch.ops.aten.view", "torch._weight_norm", "torch.getitem", "torch.fft.rfft"]
)
def test_an_op_that_torch_has_is_no_finding(op: str) -> None:
    assert read_text(f"cases:\n  - {{name: a, op: {op}}}\n", "m.yaml").problems == ()
