# SPDX-License-Identifier: Apache-2.0
"""The files of the sample checkout as shipped, by their path in the checkout."""

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from core.base.errors import TTMatrixError
from core.base.files import read_text

TEST_CONFIG = "tests/runner/test_config"
"""Where the expectation YAML is in a checkout."""

_HERE = Path(__file__).parent
_TREE = _HERE / "tree"
_PACKAGES = "third_party"


def expectations_dir() -> Path:
    """Directory of the sample's expectation YAML: part of the installed package, else at the top of the repository.

    Raises TTMatrixError if it is in neither place.
    """
    candidates = (_HERE / "test_config", _HERE.parents[1] / "test_config")
    for candidate in candidates:
        if (candidate / "torch").is_dir():
            return candidate
    raise TTMatrixError(
        "The sample checkout is not complete",
        f"Its expectations are neither in {candidates[0]} nor in {candidates[1]}.",
        "Install ttmatrix anew.",
    )


def sample_files() -> dict[str, str]:
    """The text of every file by its path in the checkout, in the order of the paths.

    Empty `__init__.py` files are not shipped but made here, since the template mirrors directories only.
    """
    files = {path.as_posix(): read_text(_TREE / path) for path in _shipped(_TREE)}
    expectations = expectations_dir()
    files |= {f"{TEST_CONFIG}/{path.as_posix()}": read_text(expectations / path) for path in _shipped(expectations)}
    files |= dict.fromkeys(package_markers(files), "")
    return dict(sorted(files.items()))


def package_markers(paths: Iterable[str]) -> set[str]:
    """The `__init__.py` files that make every module below `third_party` importable from the checkout's root."""
    modules = (PurePosixPath(path) for path in paths if path.endswith(".py"))
    packages = {
        package for module in modules if module.parts[0] == _PACKAGES for package in module.parents if package.parts
    }
    return {f"{package}/__init__.py" for package in packages}


def _shipped(root: Path) -> Iterator[Path]:
    """Files below `root`, relative to it. Compiled modules, which installers leave beside the sources, are left out."""
    for path in root.rglob("*"):
        if path.is_file() and path.parent.name != "__pycache__":
            yield path.relative_to(root)
