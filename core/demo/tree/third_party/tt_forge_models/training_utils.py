# SPDX-License-Identifier: Apache-2.0
"""Which tensor of a model's output backward starts from, by the name of the output's class."""

from typing import Any, Callable

import torch

_HANDLER_REGISTRY: dict[str, Callable[[Any], torch.Tensor]] = {}


def _register_handler(cls_name: str, fn: Callable[[Any], torch.Tensor]) -> None:
    if cls_name in _HANDLER_REGISTRY:
        raise ValueError(f"Handler for {cls_name} already exists.")
    _HANDLER_REGISTRY[cls_name] = fn


def _register_attr(cls_name: str, attr: str) -> None:
    """Let outputs of class `cls_name` be represented by their attribute `attr`."""

    def handler(output: Any) -> torch.Tensor:
        if not hasattr(output, attr):
            raise ValueError(f"Attribute {attr} does not exist in {cls_name}.")
        return getattr(output, attr)

    _register_handler(cls_name, handler)


def unpack_forward_output(output: Any) -> torch.Tensor:
    """The one tensor of `output`. Raises ValueError for a class that no handler is registered for."""
    if isinstance(output, torch.Tensor):
        return output
    cls_name = type(output).__name__
    if cls_name not in _HANDLER_REGISTRY:
        raise ValueError(
            f"No handler for class {cls_name} exists in `unpack_forward_output`."
            "Register a handler or implement custom unpack_forward_output for the specific model."
        )
    tensor = _HANDLER_REGISTRY[cls_name](output)
    if not isinstance(tensor, torch.Tensor):
        raise ValueError(f"Handler for {cls_name} did not return a torch.Tensor")
    return tensor


_register_attr("CausalLMOutput", "logits")
_register_attr("ImageClassifierOutput", "logits")
_register_attr("Seq2SeqLMOutput", "logits")
_register_attr("TokenClassifierOutput", "logits")
