# SPDX-License-Identifier: Apache-2.0
"""Downloads of a call from the Hugging Face hub (checkpoints and datasets), and from upstream's own file cache."""

import re
from typing import NamedTuple

from core.python import Member, ReachedCall, Value

_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_FIRST_MODELS = re.compile(
    r"albert-x{0,2}(?:base|large)-v[12]|bert-(?:base|large)-[\w-]+|camembert-base|ctrl|distilbert-base-[\w-]+|distilgpt2"
    r"|distilroberta-base|flaubert-[\w-]+|gpt2(?:-medium|-large|-xl)?|openai-gpt|roberta-(?:base|large)(?:-[\w-]+)?"
    r"|t5-(?:small|base|large|3b|11b)|transfo-xl-wt103|xlm-[\w-]+|xlnet-(?:base|large)-cased"
)
"""The models that are on the hub without an owner. They are its oldest ones, and no others have been allowed since."""
_DATASET_WORD = re.compile(r"\w[\w-]*")
_FILE_FORMATS = re.compile(
    r"arrow|audiofolder|csv|generator|imagefolder|json|pandas|parquet|spark|sql|text|videofolder|webdataset|xml"
)
"""First arguments of `load_dataset` that name no dataset but the format of given files."""
_ADDRESS = "https://huggingface.co/"
MODEL = "model"
_DATASET = "dataset"
CALLS = {
    "from_pretrained": (MODEL, "pretrained_model_name_or_path"),
    "hf_hub_download": (MODEL, "repo_id"),
    "snapshot_download": (MODEL, "repo_id"),
    "load_dataset": (_DATASET, "path"),
}
"""By the name of the function: the kind of download, and the parameter for its name."""
CACHED_FILE = "get_file"
"""Upstream's own function for files that CI has in a cache (tools/utils.py of the models tree)."""
_PATHS = {MODEL: "", _DATASET: "datasets/"}


class HubName(NamedTuple):
    """A repository of the hub."""

    kind: str
    """`model` or `dataset`."""
    name: str
    """`owner/name`; a few old repositories have no owner."""

    @property
    def link(self) -> str:
        """Its page."""
        return f"{_ADDRESS}{_PATHS[self.kind]}{self.name}"

    @property
    def is_repository(self) -> bool:
        """Whether the hub could have a repository of this name; a local path is none."""
        if _NAME.fullmatch(self.name):
            return not self.name.startswith((".", "~"))
        if self.kind == _DATASET:
            return bool(_DATASET_WORD.fullmatch(self.name)) and not _FILE_FORMATS.fullmatch(self.name)
        return bool(_FIRST_MODELS.fullmatch(self.name))


def hub_name_of_call(call: ReachedCall) -> HubName | None:
    """The hub repository that a call downloads; its name is empty if computed at run time. None: no download."""
    known = CALLS.get(call.name)
    if known is None or not (call.node.args or call.keyword(known[1])):
        return None
    kind = _DATASET if call.argument_named("repo_type") == _DATASET else known[0]
    return HubName(kind, text_of(call.argument(0, known[1])))


def file_of_call(call: ReachedCall) -> str | None:
    """The file that a call requests from upstream's cache: an address, or a path below the cache.

    Empty if it is computed at run time. None: the call requests no file.
    """
    return text_of(call.argument(0, "")) if call.name == CACHED_FILE and call.node.args else None


def text_of(value: Value) -> str:
    """A name that is given as an argument; empty: it is computed at run time."""
    if isinstance(value, Member):
        value = value.value
    return value if isinstance(value, str) else ""
