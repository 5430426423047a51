# SPDX-License-Identifier: Apache-2.0
"""What a call fetches of the Hugging Face hub, checkpoints and datasets, and of upstream's own cache of files."""

import ast
import re
from typing import NamedTuple

from core.sources.downloads.constant_texts import Texts

_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_ADDRESS = "https://huggingface.co/"
MODEL = "model"
_DATASET = "dataset"
_CALLS = {
    "from_pretrained": (MODEL, "pretrained_model_name_or_path"),
    "hf_hub_download": (MODEL, "repo_id"),
    "snapshot_download": (MODEL, "repo_id"),
    "load_dataset": (_DATASET, "path"),
}
"""By the name of the function what it fetches, and its parameter for the name of that."""
_CACHED_FILE = "get_file"
"""Upstream's own way to files that CI has in a cache (tools/utils.py of the models tree)."""
_PATHS = {MODEL: "", _DATASET: "datasets/"}


class HubName(NamedTuple):
    """A repository of the hub."""

    kind: str
    """`model` or `dataset`."""
    name: str
    """`owner/name`."""

    @property
    def link(self) -> str:
        """Its page."""
        return f"{_ADDRESS}{_PATHS[self.kind]}{self.name}"

    @property
    def is_repository(self) -> bool:
        """Whether the hub could have one of this name; a path of this machine is none."""
        return bool(_NAME.fullmatch(self.name))


def hub_name_of_call(call: ast.Call, texts: Texts) -> HubName | None:
    """What one call asks the hub for; an empty name where that is made as the loader runs. None: nothing."""
    known = _CALLS.get(_function(call))
    given = {word.arg: word.value for word in call.keywords if word.arg}
    asked = next(iter(call.args), given.get(known[1])) if known else None
    if known is None or asked is None:
        return None
    kind = _DATASET if texts.text(given.get("repo_type")) == _DATASET else known[0]
    return HubName(kind, texts.text(asked) or "")


def file_of_call(call: ast.Call, texts: Texts) -> str | None:
    """What one call asks upstream's cache of files for: an address, or a path below the cache.

    Empty where that is made as the loader runs. None: it asks for none.
    """
    return texts.text(call.args[0]) or "" if _function(call) == _CACHED_FILE and call.args else None


def _function(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
