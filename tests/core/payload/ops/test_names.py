# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.names: which names of ops may be looked up."""

import pytest

from core.payload.ttmatrix_payload.ops.names import OpKind, common_names, kind_of, nearest_op, refusal

OF_REAL_FILES = """
    __eq__ and_ expand_as float floordiv getitem index_copy_ invert long new_ones repeat to truediv type_as view_as
"""


@pytest.mark.parametrize("name", OF_REAL_FILES.split())
def test_names_that_a_plain_look_up_gets_wrong(name: str) -> None:
    assert kind_of(f"torch.{name}") is OpKind.SPECIAL


@pytest.mark.parametrize("name", common_names())
def test_common_names_are_ops(name: str) -> None:
    assert kind_of(name) in (OpKind.OP, OpKind.SPECIAL)
    assert refusal(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        "torch.ops.aten.view",
        "torch.ops.aten.view.default",
        "torch.ops.aten._softmax.default",
        "torch.ops.aten.__and__.Tensor",
        "torch.Tensor.__getitem__",
        "torch._C._nn.gelu",
        "torch.sym_sum",
        "torch.special.expit",
        "torch.linalg.cond",
    ],
)
def test_others_are_ops_too(name: str) -> None:
    assert kind_of(name) is OpKind.OP


@pytest.mark.parametrize(
    "name",
    [
        "torch._C._log_api_usage_once",
        "torch.set_grad_enabled",
        "torch.amp.autocast_mode._enter_autocast",
        "torch._C._functorch._vmap_increment_nesting",
    ],
)
def test_what_tracers_record_is_no_op(name: str) -> None:
    assert kind_of(name) is OpKind.NOT_AN_OP


@pytest.mark.parametrize(
    "name",
    [
        "torch.load",
        "torch.save",
        "torch.from_file",
        "torch._from_blob",
        "torch.compile",
        "torch.os.system",
        "torch.nn.functional.torch.os.system",
        "torch.nn.functional.os",
        "torch.ops.load_library",
        "torch.ops.aten.from_file",
        "torch.ops.aten.from_file.out",
        "torch.hub.load",
        "torch.Tensor.share_memory_",
        "torch.Tensor.__reduce_ex__",
        "torch.__import__",
        "torch.manual_seed",
        "torch._import_dotted_name",
        "torch",
        "add",
        "torch.",
        ".add",
        "torch..add",
        "torch.ad\nd",
        "torch.ä",
        "os.system",
        "torch.ops.aten.view.default.__call__",
        "torch.Tensor.__class__.__base__",
    ],
)
def test_what_is_refused(name: str) -> None:
    assert kind_of(name) is OpKind.REFUSED
    assert refusal(name) and refusal(name).isprintable()


def test_the_name_that_was_meant() -> None:
    assert nearest_op("add") == "torch.add"
    assert nearest_op("torch.nn.sofmax") == "torch.softmax"
    assert nearest_op("torch.load") == ""
