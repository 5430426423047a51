# SPDX-License-Identifier: Apache-2.0
"""What pyproject.toml declares is used, and constraints.txt has one version of all of it."""

import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NEEDED = [Requirement(text) for text in PROJECT["dependencies"]]
EXTRAS = {name: [Requirement(text) for text in texts] for name, texts in PROJECT["optional-dependencies"].items()}
_PINNED = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;]+)")
_IMPORT = re.compile(r"^\s*(?:from|import) ([\w.]+)", re.MULTILINE)


def _constraints() -> list[tuple[str, str]]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    matches = [_PINNED.fullmatch(line) for line in lines if not line.startswith("#")]
    assert all(matches), "each line is NAME==VERSION"
    return [(canonicalize_name(match["name"]), match["version"]) for match in matches if match]


def _imported() -> set[str]:
    texts = (path.read_text(encoding="utf-8") for top in ("core", "tui") for path in (ROOT / top).rglob("*.py"))
    return {name for text in texts for name in _IMPORT.findall(text)}


@pytest.mark.parametrize("needed", NEEDED, ids=str)
def test_every_dependency_is_imported(needed: Requirement) -> None:
    name = canonicalize_name(needed.name)
    modules = {module for module, names in packages_distributions().items() if name in map(canonicalize_name, names)}
    # Its extension module is loaded by ruamel.yaml itself, through `ruamel.yaml.cyaml`.
    modules = {"ruamel.yaml.cyaml"} if name == "ruamel-yaml-clib" else modules
    assert any(one == module or one.startswith(f"{module}.") for one in _imported() for module in modules)


def test_constraints_have_one_version_each() -> None:
    names = [name for name, _ in _constraints()]
    assert names == sorted(set(names), key=lambda name: names.index(name))
    assert len(names) == len(set(names))


@pytest.mark.parametrize("needed", [*NEEDED, *(one for extra in EXTRAS.values() for one in extra)], ids=str)
def test_constraints_allow_what_is_declared(needed: Requirement) -> None:
    """torch has another version in each extra, so that no constraint can hold for both."""
    name, pinned = canonicalize_name(needed.name), dict(_constraints())
    if name == "ttmatrix":
        assert needed.extras <= set(EXTRAS)
    elif name in ("torch", "torch-xla"):
        assert name not in pinned
    else:
        assert needed.specifier.contains(pinned[name])


def test_the_oldest_python_is_this_one_or_older() -> None:
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert tuple(map(int, oldest.split("."))) <= sys.version_info
