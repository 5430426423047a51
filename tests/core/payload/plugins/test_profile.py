# SPDX-License-Identifier: Apache-2.0
"""The plugin for tt-xla's own runner, on a class of the shape of its `CompilerConfig`."""

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from core.payload.ttmatrix_payload.models.compile_options import CompileOptions
from core.payload.ttmatrix_payload.plugins import profile


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The compile options of upstream's runner: its own values, without those that are not set."""

    @dataclass
    class CompilerConfig:
        optimization_level: int = 0
        math_fidelity: str | None = None

        def to_jax_compiler_options(self) -> dict[str, str]:
            return {name: str(value) for name, value in vars(self).items() if value}

        def to_torch_compile_options(self) -> dict[str, str]:
            return self.to_jax_compiler_options()

    module = ModuleType("infra.testers.compiler_config")
    vars(module)["CompilerConfig"] = CompilerConfig
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return CompilerConfig


def test_options_are_added_for_pytorch_and_jax_and_win(config: Any) -> None:
    profile.apply(CompileOptions({"optimization_level": "2", "dry_run": "true"}))
    both = {"optimization_level": "2", "math_fidelity": "lofi", "dry_run": "true"}
    entry = config(optimization_level=1, math_fidelity="lofi")
    assert entry.to_torch_compile_options() == both
    assert entry.to_jax_compiler_options() == both


def test_a_runner_without_these_classes_is_refused() -> None:
    with pytest.raises(pytest.UsageError, match="no CompilerConfig"):
        profile.apply(CompileOptions({"dry_run": "true"}))


def test_what_is_no_pair_is_refused() -> None:
    from core.payload.ttmatrix_payload.models.compile_options import read_words

    with pytest.raises(ValueError, match="NAME=VALUE"):
        read_words(["--compile-option=enable_trace"])
