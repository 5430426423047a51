# SPDX-License-Identifier: Apache-2.0
"""Which part of a forward output the training loss depends on, by what the model is for (spec 7.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from core.triage.loader_code.selection import Form, Selection

Leaf: TypeAlias = Mapping[str, Any]
_MAPPINGS = frozenset({"dict", "OrderedDict", "defaultdict"})
_SEQUENCES = frozenset({"list", "tuple"})
_SHOWN = 12
"""Leaves that a docstring lists."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to unpack an output, for a person or a rule to take."""

    selection: Selection
    attribute: str = ""
    """Name of the attribute where a line of the registry would do; empty: it takes an override."""


@dataclass(frozen=True, slots=True)
class Unpacking:
    """What could stand for an output. One choice: the family settles it; several: a person decides."""

    family: str
    """For people: `image classification`; empty: no family is known for the task."""
    choices: tuple[Choice, ...]
    why: str
    """Why this one, or why it cannot be told."""


@dataclass(frozen=True, slots=True)
class Family:
    """Models whose losses read the same part of the output."""

    name: str
    tasks: frozenset[str]
    parts: tuple[str, ...]
    """Names of what the loss reads, the first that is there counts."""
    whole: bool = False
    """The loss reads all tensors of a sequence: a detector's heads."""


def _tasks(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LANGUAGE = (
    "nlp_causal_lm nlp_masked_lm nlp_translation nlp_summarization nlp_image_to_text cv_image_to_text audio_asr "
    "mm_causal_lm mm_masked_lm mm_image_capt mm_doc_qa mm_visual_qa mm_image_ttt mm_video_ttt mm_audio_ttt mm_doc_ocr "
    "mm_conditional_generation conditional_generation"
)
_DETECTION = "cv_object_det cv_zs_object_det cv_keypoint_det Multiview_3D_object_detection realtime_map_construction"
FAMILIES = (
    Family("language", _tasks(_LANGUAGE), ("logits",)),
    Family(
        "classification",
        _tasks("nlp_text_cls nlp_token_cls nlp_multi_choice audio_cls cv_image_cls cv_video_cls"),
        ("logits",),
    ),
    Family("question answering", _tasks("nlp_qa"), ("logits", "start_logits")),
    Family("segmentation", _tasks("cv_image_seg cv_panoptic_seg cv_mask_gen"), ("logits", "pred_masks")),
    Family("depth estimation", _tasks("cv_depth_est"), ("predicted_depth", "depth")),
    Family("encoder", _tasks("nlp_embed_gen cv_image_fe"), ("last_hidden_state", "pooler_output")),
    Family("object detection", _tasks(_DETECTION), ("total_loss", "logits"), whole=True),
    Family("image-text similarity", _tasks("mm_image_text_similarity cv_zs_image_cls"), ("logits_per_text",)),
)


def unpacking(task: str, output: Mapping[str, Any]) -> Unpacking:
    """The loss-relevant part of `output`, the structure that the CPU repro reports, for a model of `task`.

    `task` is the value of upstream's `ModelTask`. What the table does not settle is never guessed.
    """
    family = next((one for one in FAMILIES if task in one.tasks), None)
    name = family.name if family is not None else ""
    seen = _Output(output)
    if seen.is_tensor:
        return Unpacking(name, (), "the output is one tensor, which needs no unpacking")
    if not seen.floats:
        return Unpacking(name, (), "the output holds no floating-point tensor to start from")
    if family is not None and (settled := _settled(family, seen)) is not None:
        return Unpacking(name, (settled,), settled.selection.why)
    if len(seen.floats) == 1:
        only = seen.choice(seen.floats[0]["access"], Form.TENSOR, "It is the only floating-point tensor of the output.")
        return Unpacking(name, (only,), only.selection.why)
    why = (
        f"the output of a model for {name} holds none of what its loss reads"
        if name
        else f"task {task!r} tells no loss"
    )
    return Unpacking(name, _all_choices(seen), f"{why}: a person has to say")


class _Output:
    """The structure of a forward output."""

    def __init__(self, output: Mapping[str, Any]) -> None:
        self.kind = str(output["class"])
        self.leaves: list[Leaf] = [
            {**leaf, "access": access} for leaf, access in zip(output["leaves"], output["access"], strict=True)
        ]
        self.floats = [leaf for leaf in self.leaves if "float" in (leaf["dtype"] or "") and leaf["access"] is not None]

    @property
    def is_tensor(self) -> bool:
        return [leaf["access"] for leaf in self.leaves] == [""] and self.leaves[0]["dtype"] is not None

    @property
    def is_named(self) -> bool:
        """Whether it has a class of its own, which the registry goes by."""
        return self.kind not in _MAPPINGS | _SEQUENCES

    def choice(self, access: str, form: Form, why: str) -> Choice:
        single = self.is_named and form is Form.TENSOR and access.startswith(".") and access[1:].isidentifier()
        return Choice(Selection(access, form, self.described(), why), access[1:] if single else "")

    def under(self, part: str) -> tuple[str, list[Leaf]] | None:
        """The access of a part by its name, at the top, with its leaves."""
        for access in (f".{part}", f'["{part}"]'):
            found = [leaf for leaf in self.leaves if _starts(leaf["access"], access)]
            if found:
                return access, found
        return None

    def described(self) -> str:
        """What a docstring says of it: the class, and the shapes as the CPU repro saw them."""
        lines = [f"{leaf['name']}: {leaf['type']} {leaf['shape'] or ''}".rstrip() for leaf in self.leaves[:_SHOWN]]
        more = len(self.leaves) - len(lines)
        return f"{self.kind} of " + ", ".join(lines) + (f", and {more} more" if more else "") + "; seen with two rows."


def _starts(access: str | None, with_: str) -> bool:
    return access is not None and (access == with_ or (access.startswith(with_) and access[len(with_)] in ".["))


def _settled(family: Family, seen: _Output) -> Choice | None:
    """What the table says, where the output has it."""
    for part in family.parts:
        if (found := seen.under(part)) is not None and all(leaf in seen.floats for leaf in found[1]):
            access, leaves = found
            why = f"{part}: what the loss of {_article(family.name)} model reads; the rest is left out."
            return seen.choice(access, _form(access, leaves), why)
    losses = [leaf for leaf in seen.floats if "loss" in leaf["name"]]
    if losses == seen.floats == seen.leaves and seen.kind in _MAPPINGS:
        return seen.choice("", Form.SUM_VALUES, "The losses themselves, added up: training makes nothing else.")
    if family.whole and seen.kind in _SEQUENCES and seen.floats == seen.leaves:
        form = _form("", seen.leaves)
        return seen.choice("", form, "All tensors: each is a head of the detector, and its loss reads every one.")
    return None


def _form(access: str, leaves: Sequence[Leaf]) -> Form:
    """How what stands at `access` becomes one tensor."""
    steps = [str(leaf["access"])[len(access) :] for leaf in leaves]
    if steps == [""]:
        return Form.TENSOR
    flat = all(step.count("[") == 1 and "." not in step for step in steps)
    if flat and all(step[1:-1].isdecimal() for step in steps):
        return Form.SUM
    return Form.SUM_VALUES if flat else Form.SUM_NESTED


def _all_choices(seen: _Output) -> tuple[Choice, ...]:
    """Each tensor for itself, and all of them."""
    one = [seen.choice(leaf["access"], Form.TENSOR, f"Only {leaf['name']}.") for leaf in seen.floats[:_SHOWN]]
    if seen.is_named:
        return tuple(one)
    return (*one, seen.choice("", _form("", seen.leaves), "All tensors, added up."))


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"
