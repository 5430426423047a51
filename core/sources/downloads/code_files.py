# SPDX-License-Identifier: Apache-2.0
"""The files of the models tree that are read for a loader: those that download something, or lead to one that does.

The text of a file shows that; nothing is parsed for it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.python import Imported, module_files
from core.sources.models_tree import models_resolver
from core.sources.stamps import Stamp, stamp_of

_SIGNS = re.compile(
    r"from_pretrained|hf_hub_download|snapshot_download|load_dataset|get_file|hub\.load|load_state_dict_from_url"
    r"|download_url_to_file|load_url|create_model|pytorchcv|torchvision\.models|torchvision import [\w\s,(]*\bmodels"
)
"""Matches the text of every module that downloads something."""
_FROM = re.compile(r"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n;]*)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\n;]*)", re.MULTILINE)
_NAME, _DOTTED = re.compile(r"\w+"), re.compile(r"[\w.]+")
_NAMES = models_resolver("")
"""Only for names: whether a file is there is decided by `code_files`."""
_SHARED = re.compile(r"(base|config)\.py|tools/.*")
"""Files that all loaders share: what they say of a loader is needed to read it."""


class _Scan(NamedTuple):
    """The facts that the text of a module shows before it is parsed."""

    signs: bool
    imports: tuple[str, ...]
    """Imported modules of the tree, as paths without suffix; packages included."""


def code_files(models: str, start: str) -> dict[str, Stamp | None]:
    """`start`, and those files it uses that download something or lead to one that does.

    Paths are relative to the root `models`; each has its stamp.
    """
    scans: dict[str, _Scan] = {}
    stamps: dict[str, Stamp | None] = {}
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path not in scans:
            stamps[path] = stamp_of(f"{models}/{path}")
            scans[path] = _scan(f"{models}/{path}", path, stamps[path])
            waiting += (file for module in scans[path].imports for file in module_files(module))
    importers: dict[str, list[str]] = {}
    for path, scan in scans.items():
        for module in scan.imports:
            for file in module_files(module):
                importers.setdefault(file, []).append(path)
    found = {path: stamp for path, stamp in stamps.items() if path == start or (stamp and _SHARED.fullmatch(path))}
    waiting = [path for path, scan in scans.items() if scan.signs]
    while waiting:
        path = waiting.pop()
        if path not in found or path == start:
            found[path] = stamps[path]
            waiting += (one for one in importers.get(path, ()) if one not in found)
    return found


@lru_cache(maxsize=4096)
def _scan(file: str, path: str, stamp: Stamp | None) -> _Scan:
    text = _text(file, stamp)
    return _Scan(bool(_SIGNS.search(text)), tuple(dict.fromkeys(_named_modules(text, path))))


def _named_modules(text: str, path: str) -> Iterator[str]:
    for dots, module, names in _FROM.findall(text):
        source = _NAMES.module(path, Imported(len(dots), module, ""))
        if source is not None:
            yield source
            yield from (f"{source}/{name}".lstrip("/") for name in _NAME.findall(names))
    for names in _IMPORT.findall(text):
        for name in _DOTTED.findall(names):
            if (source := _NAMES.module(path, Imported(0, name, ""))) is not None:
                yield source


def _text(file: str, stamp: Stamp | None) -> str:
    if stamp is None:
        return ""
    try:
        return read_text(Path(file))
    except TTMatrixError:
        return ""
