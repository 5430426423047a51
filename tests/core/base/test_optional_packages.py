# SPDX-License-Identifier: Apache-2.0
"""A missing extra is named with the command that installs it."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from core.base import optional_packages as extras
from core.base.errors import TTMatrixError
from core.base.optional_packages import EXTRAS, require_extra

_PROJECT = Path(__file__).parents[3] / "pyproject.toml"


def test_each_extra_brings_its_modules() -> None:
    asked = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for extra, modules in EXTRAS.items():
        brought = {Requirement(one).name.replace("-", "_") for one in asked[extra]}
        assert set(modules) <= brought, extra


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "textual_serve" else object())
    with pytest.raises(TTMatrixError) as caught:
        require_extra("web", "The app cannot be served", "use a terminal")
    assert str(caught.value).splitlines() == [
        "The app cannot be served",
        "Not installed: textual-serve.",
        "Install it beside ttmatrix: pip install 'ttmatrix[web]', or use a terminal",
    ]
    monkeypatch.setattr(extras, "find_spec", lambda _: object())
    require_extra("web", "The app cannot be served")
