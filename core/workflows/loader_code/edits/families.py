# SPDX-License-Identifier: Apache-2.0
"""Which part of a forward output the training loss depends on, by what the model is for (docs/rules.md 7.2)."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.workflows.loader_code.edits.forward_output import MAPPINGS, ForwardOutput, Gradient, Leaf
from core.workflows.loader_code.edits.unpack import Form, Selection

_MOST_SINGLE = 12
"""Most tensors that are offered as single choices."""
_MOST_COMBINED = 3
"""Most heads of which every combination is offered; of more, only the leading ones and all."""


@dataclass(frozen=True, slots=True)
class UnpackChoice:
    """One way to unpack an output, for a person or a rule to take."""

    selection: Selection
    attribute: str = ""
    """The attribute, if a line of the registry is enough; empty: an override is needed."""
    gradient: Gradient | None = None
    """What it means for the parameters of the model; None: not known."""
    aside: bool = False
    """Whether it has outputs that are there for a second loss."""

    @property
    def label(self) -> str:
        return self.attribute or self.selection.label


@dataclass(frozen=True, slots=True)
class Unpacking:
    """Which part of an output could be taken. One choice: the family settles it; several: a person decides."""

    family: str
    """For people: `image classification`; empty: no known family for the task."""
    choices: tuple[UnpackChoice, ...]
    why: str
    """Why this choice, or why none can be made."""


@dataclass(frozen=True, slots=True)
class Family:
    """Models whose losses read the same part of the output."""

    name: str
    tasks: frozenset[str]
    parts: tuple[str, ...]
    """Names of what the loss reads; the first that exists counts."""
    loss: str
    """The training loss, in words."""
    whole: bool = False
    """Whether the loss reads several tensors, such as the heads of a detector."""


def _tasks(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LANGUAGE = (
    "nlp_causal_lm nlp_masked_lm nlp_translation nlp_summarization nlp_image_to_text cv_image_to_text audio_asr "
    "mm_causal_lm mm_masked_lm mm_image_capt mm_doc_qa mm_visual_qa mm_image_ttt mm_video_ttt mm_audio_ttt mm_doc_ocr "
    "mm_conditional_generation conditional_generation"
)
_CLASSIFICATION = "nlp_text_cls nlp_token_cls nlp_multi_choice audio_cls cv_image_cls cv_video_cls"
_DETECTION = "cv_object_det cv_zs_object_det cv_keypoint_det Multiview_3D_object_detection realtime_map_construction"
_SIMILARITY = "mm_image_text_similarity cv_zs_image_cls"
FAMILIES = (
    Family("language", _tasks(_LANGUAGE), ("logits",), "cross-entropy over the tokens"),
    Family("classification", _tasks(_CLASSIFICATION), ("logits",), "cross-entropy over the classes"),
    Family(
        "question answering",
        _tasks("nlp_qa"),
        ("logits", "start_logits"),
        "cross-entropy over the positions of the answer",
    ),
    Family(
        "segmentation",
        _tasks("cv_image_seg cv_panoptic_seg cv_mask_gen"),
        ("logits", "pred_masks"),
        "the loss over the pixels of the masks",
    ),
    Family(
        "depth estimation",
        _tasks("cv_depth_est"),
        ("predicted_depth", "depth"),
        "the regression loss over the depth map",
    ),
    Family(
        "encoder",
        _tasks("nlp_embed_gen cv_image_fe"),
        ("last_hidden_state", "pooler_output"),
        "whatever loss is put on the features",
    ),
    Family(
        "object detection",
        _tasks(_DETECTION),
        ("total_loss", "logits"),
        "the classification and box losses of a detector",
        whole=True,
    ),
    Family(
        "image-text similarity",
        _tasks(_SIMILARITY),
        ("logits_per_text",),
        "the contrastive loss of images and texts",
    ),
)
LOSSES = (
    "cross-entropy",
    "binary cross-entropy",
    "mean squared or absolute error",
    "a contrastive loss",
)
"""Losses that a person can name for a model."""
_OF_LOADERS = re.compile(r"\b[A-Z]\w*Loss\b|\b\w*cross_entropy\w*|\b(?:mse|l1|smooth_l1|huber|ctc|nll)_loss\b")
_HEAD = re.compile(r"logit|pred|box|bbox|mask|score|heatmap|cls|class|reg|offset|keypoint|depth", re.IGNORECASE)
_ASIDE = re.compile(r"aux", re.IGNORECASE)
"""Outputs that are there for a second loss, whatever their gradient reaches."""
_AUXILIARY = re.compile(
    r"feat|hidden|aux|attn|attention|encoder|embed|memory|state|neck|backbone|anchor|prior", re.IGNORECASE
)


def unpacking(
    task: str, output: Mapping[str, Any], *, inputs: Iterable[Leaf] = (), registered: str | None = None
) -> Unpacking:
    """The loss-relevant part of `output`, the structure that the CPU repro reports, for a model of `task`.

    `task` is the value of upstream's `ModelTask`, `inputs` what the output was produced with, `registered` the
    attribute that a line of the registry takes and that is not a tensor. Only tensors that a gradient reaches count.
    Nothing is guessed that the table does not settle.
    """
    family = next((one for one in FAMILIES if task in one.tasks), None)
    name = family.name if family is not None else ""
    seen = ForwardOutput(output, inputs)
    if seen.is_tensor:
        return Unpacking(name, (), "the output is one tensor, which needs no unpacking")
    if not seen.grads:
        return Unpacking(name, (), "the output holds no floating-point tensor that a gradient reaches")
    if family is not None and (settled := _settled(family, seen)) is not None:
        return Unpacking(name, (settled,), settled.selection.why)
    if len(seen.grads) == 1:
        only = "The only tensor of the output that a gradient reaches."
        choice = _choice(seen, seen.grads, only, "Whatever loss there is starts from it.")
        return Unpacking(name, (choice,), choice.selection.why)
    why = (
        f"the output of a model for {name} does not show which tensors its loss reads"
        if name
        else f"task {task!r} implies no loss"
    )
    choices = _ranked(_all_choices(seen, family, registered))
    words = [f"{why}: a person has to say.", _why_first(choices[0]), seen.unreached]
    return Unpacking(name, tuple(choices), " ".join(filter(None, words)))


def losses_named(sources: Iterable[str]) -> tuple[str, ...]:
    """The losses that the loader's code names, in the order of their first mention."""
    return tuple(dict.fromkeys(found for source in sources for found in _OF_LOADERS.findall(source)))


def read_by(choice: UnpackChoice, loss: str) -> UnpackChoice:
    """`choice` with the loss for its docstring; empty if a person knows none."""
    said = f"It is the gradient source of {loss}." if loss else "Which loss of the model reads it is not known."
    return replace(choice, selection=replace(choice.selection, loss=said))


def _choice(seen: ForwardOutput, wanted: Sequence[Leaf], what: str, loss: str) -> UnpackChoice:
    found = seen.selection(wanted, what, loss)
    single = seen.is_named and found.form is Form.TENSOR
    name = found.access.removeprefix(".")
    attribute = name if single and found.access.startswith(".") and name.isidentifier() else ""
    aside = any(_ASIDE.search(leaf["name"]) for leaf in wanted)
    return UnpackChoice(found, attribute, seen.gradient(wanted), aside)


def _loss_of(family: Family | None) -> str:
    return f"Its loss, by the task of the model: {family.loss}." if family is not None else ""


def _settled(family: Family, seen: ForwardOutput) -> UnpackChoice | None:
    """The choice of the table, if the output has that part."""
    loss = _loss_of(family)
    for part in family.parts:
        wanted = [leaf for leaf in seen.part(part) if leaf in seen.grads]
        if wanted and (seen.is_named or not family.whole or part != "logits" or wanted == seen.grads):
            what = f"{part}, which is what the loss of {_article(family.name)} model reads."
            return _choice(seen, wanted, what, loss)
    if seen.kind in MAPPINGS and all("loss" in leaf["name"] for leaf in seen.grads):
        return _choice(seen, seen.grads, "The losses themselves, added up.", "Training minimises them.")
    if family.whole and not seen.is_named and _are_heads(seen):
        what = "All tensors of the output that a gradient reaches, added up, as the heads of the detector."
        return _choice(seen, seen.grads, what, loss)
    return None


def _are_heads(seen: ForwardOutput) -> bool:
    """Whether all tensors that a gradient reaches are alike: equally deep, and none named like a by-product."""
    depths = {None if leaf["steps"] is None else len(leaf["steps"]) for leaf in seen.grads}
    return len(depths) == 1 and None not in depths and not any(_AUXILIARY.search(leaf["name"]) for leaf in seen.grads)


def _all_choices(seen: ForwardOutput, family: Family | None, registered: str | None) -> list[UnpackChoice]:
    """The registered part as a sum; each tensor alone; combinations of heads; parts; the whole output."""
    loss = _loss_of(family)
    found: dict[str, UnpackChoice] = {}
    for wanted, what in _offers(seen, registered):
        choice = _choice(seen, wanted, what, loss)
        found.setdefault(choice.label, choice)
    return list(found.values())


def _ranked(choices: Sequence[UnpackChoice]) -> list[UnpackChoice]:
    """First what leaves no parameter without a gradient, and of these what adds up the least that is not needed.

    What has an auxiliary output comes last. The order stays where the gradients are not known.
    """
    if any(choice.gradient is None for choice in choices):
        return list(choices)
    return sorted(choices, key=_rank)


def _rank(choice: UnpackChoice) -> tuple[bool, int, int, bool, bool, int]:
    gradient, selection = choice.gradient, choice.selection
    assert gradient is not None
    parts = selection.form is Form.SUM_PARTS
    alone = selection.form is Form.TENSOR
    return choice.aside, gradient.missing, gradient.redundant, not alone, parts, len(selection.parts)


def _why_first(first: UnpackChoice) -> str:
    """Why a choice is the first one, as a sentence; empty: the gradients are not known."""
    if first.gradient is None:
        return ""
    few = "the fewest parameters, auxiliary outputs aside," if first.gradient.missing else "no parameter"
    return f"The first, {first.label}, leaves {few} without a gradient."


def _offers(seen: ForwardOutput, registered: str | None) -> Iterator[tuple[Sequence[Leaf], str]]:
    if registered and (wanted := [leaf for leaf in seen.part(registered) if leaf in seen.grads]):
        yield wanted, f"What {registered} holds, added up."
    for leaf in seen.grads[:_MOST_SINGLE]:
        if leaf["access"] is not None:
            yield [leaf], f"Only {leaf['name']}."
    for heads in _combinations(seen):
        yield heads, f"{_listed(heads)}, added up."
    for steps in seen.containers():
        part = "".join(steps).removeprefix(".")
        yield [leaf for leaf in seen.under(steps) if leaf in seen.grads], f"What {part} holds, added up."
    if not seen.is_named:
        yield seen.grads, "All tensors that a gradient reaches, added up."
    if len(covering := seen.covering()) > 1:
        yield covering, f"{_listed(covering)}, added up: together they reach every parameter."


def _combinations(seen: ForwardOutput) -> Iterator[Sequence[Leaf]]:
    """Top-level tensors that a loss may read together: those named like heads, else all except by-products."""
    top = [leaf for leaf in seen.grads if leaf["steps"] is not None and len(leaf["steps"]) == 1]
    named = [leaf for leaf in top if _HEAD.search(leaf["name"]) and not _AUXILIARY.search(leaf["name"])]
    heads = named if len(named) > 1 else [leaf for leaf in top if not _AUXILIARY.search(leaf["name"])]
    if len(heads) <= _MOST_COMBINED:
        for count in range(2, len(heads) + 1):
            yield from itertools.combinations(heads, count)
        return
    yield from (heads[:count] for count in range(2, min(len(heads), _MOST_SINGLE)))
    yield heads


def _listed(leaves: Sequence[Leaf]) -> str:
    *others, last = (str(leaf["name"]) for leaf in leaves)
    return f"{', '.join(others)} and {last}"


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"
