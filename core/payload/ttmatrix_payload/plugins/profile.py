# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that passes tt-xla's own runner the compile options of a profile, which lack a command-line form.

    python -m pytest -p ttmatrix_payload.plugins.profile --compile-option=enable_trace=true NODE...

Options of the compiler are added to what `CompilerConfig` of upstream's infrastructure makes, for PyTorch and for JAX;
options of `torch.compile`, dtypes of weights and the batch size are given to its tester of PyTorch models.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from ..models.compile_options import CompileOptions, add_options, read

CONFIG = "CompilerConfig", "to_jax_compiler_options"
TESTER = "DynamicTorchModelTester"


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser.getgroup("ttmatrix", "the profile of a run").addoption)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """At this point every module of the runner has been imported, and no test has begun."""
    try:
        options = read(session.config.getoption)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from error
    apply(options)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    name = item.config.getoption("--profile-name")
    if name:
        item.user_properties.append(("profile", name))


def apply(options: CompileOptions) -> None:
    """Make upstream's classes use `options`. Raises UsageError if a class no longer exists."""
    if options.values:
        config = _upstream(CONFIG[0])
        _wrap(config, CONFIG[1], lambda original: lambda self: {**original(self), **options.values})
    if options.torch:
        _wrap(_upstream(TESTER), "_compile_for_tt_device", lambda original: _with_torch(original, options))
    if options.weights:
        _wrap(_upstream(TESTER), "_apply_weight_dtype_overrides", lambda original: _with_weights(original, options))
    if options.batch_size is not None:
        _wrap(_upstream(TESTER), "__init__", lambda original: _with_batch_size(original, options))


def _with_torch(original: Callable[..., Any], options: CompileOptions) -> Callable[..., Any]:
    def compile_for_device(self: Any, workload: Any, asked: Any = None) -> Any:
        return original(self, workload, {**(asked or {}), **options.torch})

    return compile_for_device


def _with_weights(original: Callable[..., Any], options: CompileOptions) -> Callable[..., Any]:
    def apply_overrides(self: Any) -> None:
        from tt_torch.weight_dtype import apply_weight_dtype_overrides

        original(self)
        apply_weight_dtype_overrides(self._model, dict(options.weights))

    return apply_overrides


def _with_batch_size(original: Callable[..., Any], options: CompileOptions) -> Callable[..., Any]:
    def begin(self: Any, *args: Any, test_metadata: Any = None, **kwargs: Any) -> None:
        if test_metadata is not None:
            test_metadata.batch_size = options.batch_size
        original(self, *args, test_metadata=test_metadata, **kwargs)

    return begin


def _wrap(owner: Any, name: str, made: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    original = getattr(owner, name, None)
    if original is None:
        raise pytest.UsageError(f"{owner.__name__} of this checkout has no {name}: the profile cannot be applied")
    setattr(owner, name, wraps(original)(made(original)))


def _upstream(name: str) -> Any:
    """The class of that name in the modules that the runner has imported."""
    for module in list(sys.modules.values()):
        found = getattr(module, "__dict__", {}).get(name)
        if isinstance(found, type):
            return found
    raise pytest.UsageError(f"The runner of this checkout has imported no {name}: the profile cannot be applied")
