# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.analysis.tracer: all the places that a returned part may come from."""

import pytest

from core.workflows.loader_code.analysis import Code, Tracer, distinct, outermost
from tests.support.loader_code import loader


def origins(*lines: str, path: tuple[str | int | None, ...] = (), variant: str = "") -> list[str]:
    code = Code(loader(*lines))
    function = code.method("ModelLoader", "load_inputs")
    assert function is not None
    found = distinct(Tracer(code).returned(outermost(function, "ModelLoader", variant), path))
    return [f"{one.nature.name} {code.text(one.node).splitlines()[0]}" for one in found]


@pytest.mark.parametrize(
    ("lines", "path", "found"),
    [
        (["return x"], (), ["FOREIGN x"]),
        (["return None"], (), []),
        (["return 3"], (), []),
        (["return a if dtype_override is not None else b"], (), ["FOREIGN a"]),
        (["return a if self.wide else b"], (), ["FOREIGN a", "FOREIGN b"]),
        (["return a or b"], (), ["FOREIGN a", "FOREIGN b"]),
        (["return -torch.rand(1)"], (), ["UNTOLD torch.rand(1)"]),
        (["return torch.rand(1) + other"], (), ["FOREIGN torch.rand(1) + other"]),
        (["return torch.rand(1)[:, 0]"], (), ["UNTOLD torch.rand(1)"]),
        (["return torch.rand(1).T"], (), ["UNTOLD torch.rand(1)"]),
        (["return [torch.rand(1)] * 3"], (2,), ["UNTOLD torch.rand(1)"]),
        (["return (y := torch.rand(1))"], (), ["UNTOLD torch.rand(1)"]),
        (["return [*xs, y]"], (1,), ["FOREIGN xs"]),
        (["return [a, b]"], (2,), []),
        (["return [a, b]"], (), []),
        (['return {"a": b}'], ("c",), []),
        (['return {"a": b, **more}'], ("c",), ["FOREIGN more"]),
        (
            ["return torch.cat([torch.rand(1), x.to(dtype_override)])"],
            (),
            ["UNTOLD torch.rand(1)", "AWARE x.to(dtype_override)"],
        ),
        (["return lambda: 1"], (), ["FOREIGN lambda: 1"]),
        (["x = x", "return x"], (), ["FOREIGN x"]),
        (["for i in range(3):", "    x = x.repeat(2)", "return x"], (), ["FOREIGN x"]),
    ],
)
def test_origins(lines: list[str], path: tuple[str | int | None, ...], found: list[str]) -> None:
    assert origins(*lines, path=path) == found


def test_returns_that_are_not_come_to() -> None:
    lines = [
        "if self._variant == ModelVariant.BASE:",
        "    return a",
        "elif self._variant == ModelVariant.LARGE:",
        "    return b",
        "return c",
    ]
    assert origins(*lines) == ["FOREIGN a", "FOREIGN b", "FOREIGN c"]
    assert origins(*lines, variant="BASE") == ["FOREIGN a"]
    assert origins(*lines, variant="LARGE") == ["FOREIGN b"]
    assert origins(*lines, variant="HUGE") == ["FOREIGN c"]
    assert origins("if dtype_override is not None:", "    return a", "return b") == ["FOREIGN a"]


@pytest.mark.slow("runs to its limit of steps")
def test_code_without_end_is_given_up() -> None:
    lines = [f"x{n + 1} = x{n} if self.a{n} else x{n}.view(1)" for n in range(30)]
    assert len(origins(*lines, "return x30")) >= 1
