# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.conditions: skip_if and xfail_if over plain values."""

import pytest
from hypothesis import given, strategies as st

from core.payload.ttmatrix_payload.ops.cases import Case, Condition
from core.payload.ttmatrix_payload.ops.conditions import check, context, evaluate, is_readable, skip_reason
from core.payload.ttmatrix_payload.ops.tokens import NotRead

CASE = Case("a", "torch.add", dtype="float16")
CONTEXT = context(
    CASE, "m", backend="inductor", device="spyre", environment={"CI": "1", "HOME": "/root", "TT_TOKEN": "x"}
)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("cfg.test_device.type == 'spyre' and dtype_str == 'fp16'", True),
        ("dtype_str == 'torch.float16' and 'float16' == dtype_str", True),
        ("dtype_str != 'half'", False),
        ("dtype_str in ('bf16', 'FP16')", True),
        ("dtype_str in ['bf16']", False),
        ("cfg['compile_backend'] == 'inductor'", True),
        ("cfg.test_device.index is None", True),
        ("cfg.test_device.index is not None and cfg.test_device.index > 0", False),
        ("cfg.test_device.index is None or cfg.test_device.index > 0", True),
        ("'add' in op_name and model not in ('x', 'y')", True),
        ("env['CI'] == '1' and env.GITHUB_ACTIONS is None", True),
        ("not (op_name == 'torch.mul')", True),
        ("not not 1", True),
        ("1 < 2 <= 2 < 3", True),
        ("1 < 2 > 2", False),
        ("True or False and False", True),
        ("''", False),
        ("-1 < 0", True),
        ("() == ()", True),
        ("1 is True", False),
    ],
)
def test_values(expression: str, value: bool) -> None:
    check(expression)
    assert evaluate(expression, CONTEXT) is value


@pytest.mark.parametrize(
    ("expression", "message", "column"),
    [
        ("torch.os.system('x')", "unknown name 'torch'", 1),
        ("model == 'x' or exit()", "unknown name 'exit'", 17),
        ("False and cfg.tset_device", "cfg has no 'tset_device'; there are test_device", 14),
        ("env['HOME'] == '/'", "'HOME' of the environment may not be asked for", 4),
        ("env.TT_TOKEN", "may not be asked for", 4),
        ("env.get('CI')", "'get' of the environment may not be asked for", 4),
        ("model()", "nothing may be called", 6),
        ("model.__class__", "model has nothing below it", 6),
        ("cfg[0]", "expected a text in quotes", 5),
        ("1 +", "cannot read '+'|expected the end", 3),
        ("model ==", "expected a value, but the text ends", 9),
        ("a if b else c", "unknown name 'a'", 1),
        ("[x for x in model]", "unknown name 'x'", 2),
        ("model = 'x'", "cannot read", 7),
        ("model not 'x'", "expected 'in'", 11),
        ("", "it is empty", 1),
        ("not " * 40 + "1", "nests more than 32 deep", 133),
        ("model == " + "'" + "x" * 5000 + "'", "at most 4,096", 1),
    ],
)
def test_what_is_refused_before_anything_runs(expression: str, message: str, column: int) -> None:
    with pytest.raises(NotRead) as caught:
        check(expression)
    assert any(part in str(caught.value) for part in message.split("|"))
    assert caught.value.column == column


def test_types_that_cannot_be_compared_are_said() -> None:
    for expression in ("model < 1", "1 in 2", "cfg.test_device.index < 1"):
        check(expression)
        with pytest.raises(NotRead):
            evaluate(expression, CONTEXT)


@given(st.text(alphabet="cfgdtypestr_.'\"[]() andornotinis=<>!0123,-", max_size=40))
def test_any_text_is_true_false_or_refused(text: str) -> None:
    try:
        check(text)
        assert evaluate(text, CONTEXT) in (True, False)
    except NotRead as error:
        assert 1 <= error.column <= len(text) + 1


def test_only_harmless_variables() -> None:
    assert all(map(is_readable, ("CI", "TEST_COMPILE_BACKEND", "TT_ARCH", "GITHUB_ACTIONS", "XLA_FLAGS")))
    assert not any(map(is_readable, ("HOME", "PATH", "GITHUB_TOKEN", "TT_API_KEY", "AWS_SECRET_ACCESS_KEY", "TTX")))


def test_the_reason_is_the_first_that_holds() -> None:
    case = CASE._replace(
        skip_if=(Condition("model == 'x'", "no"), Condition("True", "yes"), Condition("True", "later"))
    )
    assert skip_reason(case, CONTEXT) == "yes"
    assert skip_reason(case._replace(skip_if=(Condition("1"),)), CONTEXT) == "1"
    assert skip_reason(CASE, CONTEXT) == ""


@pytest.mark.parametrize(
    ("backend", "chosen", "type"),
    [
        ("tt", "", "tt"),
        ("xla", "", "xla"),
        ("tt", "spyre", "tt"),
        ("inductor", "", "cpu"),
        ("inductor", "spyre", "spyre"),
    ],
)
def test_a_backend_that_is_a_device_is_the_tested_device(backend: str, chosen: str, type: str) -> None:
    found = context(CASE, "m", backend=backend, device=chosen)
    assert evaluate(f"cfg.test_device.type == '{type}'", found)
