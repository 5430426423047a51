# SPDX-License-Identifier: Apache-2.0
"""core.base.lazy: the names in a stub are those that the package provides, however the list is broken into lines."""

import ast
import importlib
import sys
from pathlib import Path

import pytest

from tests.architecture.test_doors import MODULES, PACKAGES


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_every_name_of_every_stub_is_there(package: str) -> None:
    stub = MODULES[package].with_name("__init__.pyi")
    if not stub.exists():
        pytest.skip("a package without a face")
    module = importlib.import_module(package)
    listed = [
        alias.name
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]
    assert sorted(module.__all__) == sorted(listed)
    assert [name for name in listed if not hasattr(module, name)] == []


def test_a_name_loads_its_module_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = tmp_path / "a_room"
    room.mkdir()
    (room / "__init__.py").write_text(
        "from core.base.lazy import attach\n__getattr__, __dir__, __all__ = attach(__name__, __file__)\n"
    )
    (room / "__init__.pyi").write_text("from .one import (\n    A as A,\n    b as b,\n)\nfrom .other import C as C\n")
    (room / "one.py").write_text("A, b = 1, 2\n")
    (room / "other.py").write_text("C = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("a_room")
    assert (module.A, module.b) == (1, 2)
    assert "a_room.one" in sys.modules and "a_room.other" not in sys.modules
    with pytest.raises(AttributeError, match="nothing"):
        module.nothing  # noqa: B018
