# SPDX-License-Identifier: Apache-2.0
"""What to install where the interpreter of runs lacks a package: activating an environment would not bring it."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from core.errors import TTMatrixError
from core.files import read_text

PLUGIN = "pjrt_plugin_tt"
_WHEEL = "pjrt-plugin-tt"
_LIBRARIES = "python_package/requirements.txt"
"""The file of a checkout with the torch and torch-xla that the plugin was built for."""
_TOOLS = "venv/requirements-dev.txt"
_OF_LIBRARIES = frozenset({"torch", "torch_xla", "jax"})
_INDEX = re.compile(r"^torch[-_]xla\s*@\s*(https://[\w.:-]+/)", re.MULTILINE)
_DISTRIBUTIONS = {"torch_xla": "torch-xla", "pytest_forked": "pytest-forked", "ruamel": "ruamel.yaml", "yaml": "pyyaml"}
_OTHERWISE = "or name another interpreter with the setting `python`"


def install_remedy(packages: Sequence[str], python: str, root: Path) -> str:
    """The commands that install `packages`, given by import name, for `python`; `root` is that of the checkout."""
    commands: dict[str, None] = {}
    for name in packages:
        commands[_command(name, root)] = None
    pip = f"{shlex.quote(python)} -m pip install"
    return f"{'; '.join(f'{pip} {one}' for one in commands)}; {_OTHERWISE}"


def _command(name: str, root: Path) -> str:
    if name == PLUGIN:
        index = _INDEX.search(_text(root / _LIBRARIES))
        return f"{_WHEEL} --extra-index-url {index[1]}" if index else f"{_WHEEL} (the wheel of tt-xla's release)"
    file = root / (_LIBRARIES if name in _OF_LIBRARIES else _TOOLS)
    first = name.partition(" or ")[0]
    return f"-r {shlex.quote(str(file))}" if file.is_file() else _DISTRIBUTIONS.get(first, first)


def _text(file: Path) -> str:
    try:
        return read_text(file)
    except TTMatrixError:
        return ""
