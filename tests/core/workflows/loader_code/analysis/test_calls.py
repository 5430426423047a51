# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.analysis.calls: constructors, conversions, helpers."""

import pytest

from core.workflows.loader_code.analysis import Code, Tracer, outermost
from tests.support.loader_code import loader

HELPERS = """
    def own(self, dtype=None):
        return torch.rand(1, dtype=dtype)


def plain(dtype_override=None, kind=torch.float32):
    x = torch.rand(2)
    if dtype_override is not None:
        x = x.to(dtype_override)
    return x


def literal(kind):
    return torch.zeros(3, dtype=kind)
"""


def nature(call: str) -> str:
    code = Code(loader(f"return {call}", more=HELPERS))
    function = code.method("ModelLoader", "load_inputs")
    assert function is not None
    return " ".join(sorted({one.nature.name for one in Tracer(code).returned(outermost(function, "ModelLoader"), ())}))


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("self.own(dtype_override)", "AWARE"),
        ("self.own()", "FOREIGN"),
        ("self.own(dtype=torch.float32)", "FOREIGN"),
        ("plain(dtype_override)", "AWARE"),
        ("plain()", "UNTOLD"),
        ("literal(torch.long)", "INTEGER"),
        ("literal(torch.float32)", "FOREIGN"),
        ("literal(dtype_override)", "AWARE"),
        ("other(dtype_override)", "PASSED"),
        ("other()", "FOREIGN"),
        ("x.to(dtype_override)", "AWARE"),
        ("x.to(dtype=dtype_override)", "AWARE"),
        ("x.to('cpu', dtype_override)", "AWARE"),
        ("x.to(torch.float32)", "FOREIGN"),
        ("x.to(torch.int64)", "INTEGER"),
        ("torch.rand(1).to('cpu')", "UNTOLD"),
        ("torch.rand(1).to(device=device)", "UNTOLD"),
        ("torch.rand(1).to(other.dtype)", "FOREIGN"),
        ("x.type(dtype_override)", "AWARE"),
        ("torch.rand(1).double()", "FOREIGN"),
        ("torch.rand(1).long()", "INTEGER"),
        ("torch.unsqueeze(torch.rand(1), 0)", "UNTOLD"),
        ("torch.zeros_like(x.to(dtype_override))", "AWARE"),
        ("torch.zeros_like(torch.arange(3))", "INTEGER"),
        ("torch.zeros_like(other(dtype_override))", "PASSED"),
        ("torch.zeros_like(x)", "UNTOLD"),
        ("torch.cat(parts)", "FOREIGN"),
        ("inputs.get('a')", "FOREIGN"),
        ("next(iter(x))", "FOREIGN"),
    ],
)
def test_natures(call: str, wanted: str) -> None:
    assert nature(call) == wanted
