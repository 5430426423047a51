# SPDX-License-Identifier: Apache-2.0
"""Downloads of a call through torch.hub, torchvision, timm and pytorchcv: weights that are not from the hub."""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from core.python import External, ReachedCall, Value
from core.sources.downloads.hub import text_of

_TORCHVISION, _PYTORCHCV = "torchvision.models", "pytorchcv.model_provider.get_model"
_HUB_LOAD, _TIMM = "torch.hub.load", "timm.create_model"
_FILES = (
    "torch.hub.load_state_dict_from_url",
    "torch.hub.download_url_to_file",
    "torch.utils.model_zoo.load_url",
)
_GITHUB = "https://github.com/"
_ON_HUB = ("hf_hub:", "hf-hub:")


class Library(StrEnum):
    """The library that downloads weights."""

    TORCH_HUB = "torch.hub"
    TORCHVISION = "torchvision"
    TIMM = "timm"
    PYTORCHCV = "pytorchcv"


class Weights(NamedTuple):
    """The download of one call."""

    library: Library
    name: str
    """The library's name of the model, or the address of a file; empty: only known when the loader runs."""
    repository: str = ""
    """torch.hub: `owner/name` or `owner/name:ref` on GitHub, whose code is downloaded too."""
    member: str = ""
    """torchvision: the member of a model's weights, such as `DEFAULT`; empty: the first one."""
    pretrained: bool = True
    """Whether weights are downloaded, besides the code of a repository."""

    @property
    def text(self) -> str:
        """The model and its origin, in a line."""
        name = self.name or "(a name that is made as it runs)"
        return " ".join(filter(None, (self.library, self.repository, name, "" if self.pretrained else "(code)")))

    @property
    def on_hub(self) -> str:
        """The repository of the Hugging Face hub from which timm takes such a name; empty: the name does not tell."""
        if self.library is not Library.TIMM:
            return ""
        named = next((self.name.removeprefix(one) for one in _ON_HUB if self.name.startswith(one)), "")
        return named or (f"timm/{self.name}" if "." in self.name else "")

    @property
    def address(self) -> str:
        """The address of the file if that is the whole download; else empty."""
        return self.name if self.name.startswith(("http://", "https://")) else ""

    @property
    def page(self) -> str:
        """The page of the repository; empty: there is none."""
        return f"{_GITHUB}{self.repository.partition(':')[0]}" if self.repository else ""


def weights_of_call(call: ReachedCall) -> Iterator[Weights]:
    """The downloads of one call; the name is empty if it is computed at run time."""
    callee = call.callee
    function = callee.name if isinstance(callee, External) else ""
    asked = call.argument_named("pretrained") is not False if call.keyword("pretrained") else None
    if function == _HUB_LOAD and call.argument_named("source") != "local":
        repository = call.argument(0, "repo_or_dir")
        name = text_of(call.argument(1, "model"))
        if not isinstance(repository, str) or "/" in repository:
            yield Weights(Library.TORCH_HUB, name, text_of(repository), pretrained=asked is not False)
    elif function in _FILES:
        yield Weights(Library.TORCH_HUB, text_of(call.argument(0, "url")))
    elif function == _TIMM and asked:
        yield Weights(Library.TIMM, text_of(call.argument(0, "model_name")))
    elif function == _PYTORCHCV and asked:
        yield Weights(Library.PYTORCHCV, text_of(call.argument(0, "name")))
    elif function.startswith(f"{_TORCHVISION}."):
        member = _member(call.argument_named("weights"))
        if member or asked:
            yield Weights(Library.TORCHVISION, function.rpartition(".")[2], member=member)


def _member(weights: Value) -> str:
    """The member of a model's weights in an argument: `DEFAULT` of `X_Weights.DEFAULT`, of a variable, of a text."""
    if weights is None:
        return ""
    if isinstance(weights, External):
        return weights.last
    return text_of(weights) or "DEFAULT"
