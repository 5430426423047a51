# SPDX-License-Identifier: Apache-2.0
"""Which model classes of transformers may return which output classes, by how both are named there."""

import re

_LIBRARY = re.compile(r"transformers(\..*)?|diffusers(\..*)?")
_HEADS = (
    ("CausalLMOutput", "CausalLM"),
    ("MaskedLMOutput", "MaskedLM"),
    ("SequenceClassifierOutput", "SequenceClassification"),
    ("TokenClassifierOutput", "TokenClassification"),
    ("QuestionAnsweringModelOutput", "QuestionAnswering"),
    ("MultipleChoiceModelOutput", "MultipleChoice"),
    ("ImageClassifierOutput", "ImageClassification"),
    ("SemanticSegmenterOutput", "SemanticSegmentation"),
    ("ImageSegmentationOutput", "Segmentation"),
    ("SegmentationOutput", "Segmentation"),
    ("ObjectDetectionOutput", "ObjectDetection"),
    ("DepthEstimatorOutput", "DepthEstimation"),
    ("MaskedImageModelingOutput", "MaskedImageModeling"),
    ("SpectrogramOutput", "TextToSpeech"),
    ("LMOutput", "ConditionalGeneration"),
    ("LMOutput", "Seq2Seq"),
    ("BaseModelOutput", "Model"),
)
"""What an output class is called behind its model's name, and what the model class is called behind `For`."""
_GENERAL = frozenset({"", "Seq2Seq", "BaseModel"})
"""Beginnings of output classes that belong to no one model."""


def may_return(module: str, name: str, output_class: str) -> bool:
    """Whether class `name` that is imported from `module` may return `output_class`, as far as names tell.

    `AutoModelForCausalLM` may return every causal language model's output, `GPT2ForSequenceClassification` its own
    and the general one, `DPRReader` what begins with its name.
    """
    if not _LIBRARY.fullmatch(module) or not name[:1].isupper():
        return False
    if output_class.startswith(name) and output_class.removeprefix(name).startswith("Output"):
        return True
    heads = [(output, model) for output, model in _HEADS if output in output_class]
    # A class without a head of its own is what a bare model returns.
    return any(_fits(name, output_class, output, model) for output, model in heads or [("Output", "Model")])


def _fits(name: str, output_class: str, output: str, model: str) -> bool:
    before, found, after = output_class.partition(output)
    if not found or not (after == "" or after.startswith("With")):
        return False
    family, head = _taken_apart(name)
    if head != model and not (head.startswith(model) and model == "Seq2Seq") and not head.endswith(model):
        return False
    return family == "Auto" or before in _GENERAL or (bool(family) and before.casefold() == family.casefold())


def _taken_apart(name: str) -> tuple[str, str]:
    """The model and the head in the name of a model class: `GPT2`, `SequenceClassification`."""
    if "For" in name:
        family, _, head = name.rpartition("For")
        return family.removesuffix("Model"), head
    return (name.removesuffix("Model"), "Model") if name.endswith("Model") else ("", "")
