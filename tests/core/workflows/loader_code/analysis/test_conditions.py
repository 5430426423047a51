# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.analysis.control_flow: which branch a followed tensor takes."""

import libcst as cst
import pytest

from core.workflows.loader_code.analysis import Code, Followed, outermost
from core.workflows.loader_code.analysis.control_flow import Conditions


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        ("dtype_override is not None", True),
        ("dtype_override is None", False),
        ("dtype_override", True),
        ("not dtype_override", False),
        ("dtype_override is not None and self.wide", None),
        ("dtype_override is None and self.wide", False),
        ("dtype_override or self.wide", True),
        ("other is not None", None),
        ("torch.is_tensor(x)", True),
        ("isinstance(x, torch.Tensor)", True),
        ("isinstance(other, torch.Tensor)", None),
        ("x.is_floating_point()", True),
        ("x.dtype == torch.float32", True),
        ("x.dtype == torch.int64", None),
        ("x.dtype != torch.float32", None),
        ("key == 'pixel_values'", True),
        ("key != 'pixel_values'", False),
        ("key == 'input_ids'", False),
        ("key in ('pixel_values', 'other')", True),
        ("key not in ['pixel_values']", False),
        ("key in NAMES", None),
        ("'pixel_values' in x", True),
        ("self._variant == ModelVariant.LARGE", True),
        ("self._variant == ModelVariant.BASE", False),
        ("self._variant != ModelVariant.LARGE", False),
        ("self._variant in (ModelVariant.BASE, ModelVariant.LARGE)", True),
        ("self._variant not in [ModelVariant.BASE]", True),
        ("self._variant in self._SOME", None),
        ("batch_size > 1", None),
        ("1 < batch_size < 3", None),
        ("f()", None),
    ],
)
def test_three_values(test: str, holds: bool | None) -> None:
    code = Code("def load_inputs(self, dtype_override=None):\n    pass\n")
    frame = outermost(code.functions["load_inputs"], "ModelLoader", "LARGE")
    conditions = Conditions(frame, {"key": "pixel_values"}, frozenset({"x"}))
    assert conditions.holds(cst.parse_expression(test)) is holds


@pytest.mark.parametrize(
    ("test", "other_tensor", "no_tensor"),
    [
        ("torch.is_tensor(x)", True, False),
        ("x.is_floating_point()", False, False),
        ("torch.is_tensor(x) and x.is_floating_point()", False, False),
        ("x.dtype == torch.float32", False, False),
        ("x.dtype == torch.int64", None, None),
    ],
)
def test_of_what_is_no_floating_point_tensor(test: str, other_tensor: bool | None, no_tensor: bool | None) -> None:
    function = Code("def f(self): pass\n").functions["f"]
    for kind, holds in ((Followed.OTHER_TENSOR, other_tensor), (Followed.NO_TENSOR, no_tensor)):
        frame = outermost(function, "ModelLoader", followed=kind)
        assert Conditions(frame, {}, frozenset({"x"})).holds(cst.parse_expression(test)) is holds


def test_without_a_variant_nothing_is_known_of_it() -> None:
    frame = outermost(Code("def f(self): pass\n").functions["f"], "ModelLoader")
    assert Conditions(frame, {}, frozenset()).holds(cst.parse_expression("self._variant == ModelVariant.LARGE")) is None
