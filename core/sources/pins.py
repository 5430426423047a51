# SPDX-License-Identifier: Apache-2.0
"""The versions that a checkout pins: tt-mlir's commit, and the packages of its environment."""

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from core.base.files import read_loosely
from core.sources.checkout import Checkout
from core.sources.git import Git

TT_MLIR = "tt-mlir"
_BUILD = "third_party/CMakeLists.txt"
_REQUIREMENTS = ("python_package/requirements.txt", "venv/requirements-dev.txt")
_TT_MLIR = re.compile(r"""^\s*set\(\s*TT_MLIR_VERSION\s+"?([\w.-]+)"?\s*\)""", re.MULTILINE)
_PIN = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:==\s*(?P<version>[\w.!+*-]+)|@\s*(?P<url>\S+))")
_GIT_COMMIT = re.compile(r"\+git(?P<commit>[0-9a-f]{7,40})\b")
_PAGES = {
    TT_MLIR: ("https://github.com/tenstorrent/tt-mlir", ""),
    "transformers": ("https://github.com/huggingface/transformers", "v"),
    "torch": ("https://github.com/pytorch/pytorch", "v"),
    "torchvision": ("https://github.com/pytorch/vision", "v"),
    "torchaudio": ("https://github.com/pytorch/audio", "v"),
    "torch-xla": ("https://github.com/tenstorrent/pytorch-xla", "v"),
    "jax": ("https://github.com/jax-ml/jax", "jax-v"),
    "jaxlib": ("https://github.com/jax-ml/jax", "jax-v"),
    "flax": ("https://github.com/google/flax", "v"),
    "diffusers": ("https://github.com/huggingface/diffusers", "v"),
    "datasets": ("https://github.com/huggingface/datasets", ""),
}
"""The repository of a pinned name, and what precedes a version in its tags."""


def read_pins(checkout: Checkout) -> dict[str, str]:
    """What the checkout pins, by name; a file that is missing pins nothing."""
    return pins_in(lambda path: _text(checkout, path))


def pins_at(git: Git, commit: str) -> dict[str, str]:
    """The same at a commit, without a work tree."""
    texts = git.contents((_BUILD, *_REQUIREMENTS), commit)
    return pins_in(lambda path: (texts.get(path) or b"").decode("utf-8", "replace"))


def pins_in(text: Callable[[str], str]) -> dict[str, str]:
    """What is pinned, given the text of each file by its path; empty: there is no such file."""
    found: dict[str, str] = {}
    if version := _TT_MLIR.search(text(_BUILD)):
        found[TT_MLIR] = version[1]
    for path in _REQUIREMENTS:
        for line in text(path).splitlines():
            if match := _PIN.match(line.partition("#")[0].strip()):
                found[re.sub(r"[-_.]+", "-", match["name"]).lower()] = match["version"] or _version_in(match["url"])
    return found


def compare_link(name: str, before: str, after: str) -> str:
    """The page that compares two versions of what is pinned; empty: none is known."""
    if name not in _PAGES or not before or not after:
        return ""
    page, prefix = _PAGES[name]
    commits = [_GIT_COMMIT.search(version) for version in (before, after)]
    if commits[0] and commits[1]:
        return f"{page}/compare/{commits[0]['commit']}...{commits[1]['commit']}"
    ends = (before, after) if name == TT_MLIR else tuple(prefix + one.partition("+")[0] for one in (before, after))
    return f"{page}/compare/{ends[0]}...{ends[1]}"


def _version_in(url: str) -> str:
    """The version in the name of a wheel; else the address itself."""
    name = unquote(PurePosixPath(urlsplit(url).path).name)
    return name.split("-")[1] if name.endswith(".whl") and name.count("-") >= 4 else url


def _text(checkout: Checkout, path: str) -> str:
    try:
        return read_loosely(checkout.root / path)
    except (OSError, UnicodeDecodeError):
        return ""
