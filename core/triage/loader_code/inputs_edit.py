# SPDX-License-Identifier: Apache-2.0
"""Give `load_inputs` what training wants besides, by the smallest change; its signature and callers stay."""

from core.triage.loader_code.edit import Edit, NoSite


def decoder_inputs(source: str, parameters: tuple[str, ...], *, cls: str = "ModelLoader") -> Edit | NoSite:
    """Add `decoder_input_ids`, the same tokens as `input_ids`.

    `parameters` are the names of the model's forward in order, without `self`: what a positional sequence is turned
    into a mapping with. NoSite where what is returned cannot be seen.
    """
    raise NotImplementedError


def detection_targets(
    source: str, parameters: tuple[str, ...], dtype: str | None = None, *, cls: str = "ModelLoader"
) -> Edit | NoSite:
    """Add `targets`: for each image a mapping of one box (float32 or the override) and one label (int64).

    What is returned becomes a mapping by `parameters`, as for `decoder_inputs`.
    """
    raise NotImplementedError


def batch_of_two(source: str, shapes: tuple[tuple[int, ...], ...], *, cls: str = "ModelLoader") -> Edit | NoSite:
    """Let `load_inputs` make two of everything where nobody says otherwise.

    `shapes` are those of the input tensors as they are. NoSite where their batch dimension is not 1, or where the
    runner passes a batch size anyway (`batch_size` in the signature, since upstream's `9088e8ebb`).
    """
    raise NotImplementedError
