# SPDX-License-Identifier: Apache-2.0
"""Which model classes of transformers may return which output classes, by how both are named there."""

import re

from core.triage.loader_code.model_library import normal

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
_NO_MODELS = frozenset({"PreTrainedModel", "EncoderDecoderModel", "VisionEncoderDecoderModel"})
"""Named like bare models; the first has no forward, the others return Seq2SeqLMOutput alone."""


def may_return(module: str, name: str, output_class: str, about: str = "") -> bool:
    """Whether class `name` that is imported from `module` may return `output_class`, as far as names tell.

    `AutoModelForCausalLM` may return every causal language model's output, `GPT2ForSequenceClassification` its own
    and the general one, `DPRReader` what begins with its name. An output class of one model is none of an Auto class
    where what the loader is `about`, as `mentioned_by` has it, does not mention that model.
    """
    if not _LIBRARY.fullmatch(module) or not name[:1].isupper() or name in _NO_MODELS:
        return False
    if output_class.startswith(name) and output_class.removeprefix(name).startswith("Output"):
        return True
    if module.startswith("diffusers"):
        return output_class == f"{name.removesuffix('Model')}Output"
    heads = [(output, model) for output, model in _HEADS if output in output_class]
    # A class without a head of its own is what a bare model returns.
    fitting = [one for one in heads or [("Output", "Model")] if _fits(name, output_class, *one)]
    if not name.startswith("Auto") or not about:
        return bool(fitting)
    models = (normal(output_class.partition(output)[0]) for output, _ in fitting)
    general = any(output_class.partition(output)[0] in _GENERAL for output, _ in fitting)
    return general or any(model in about for model in models)


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
    if name.endswith("LMHeadModel"):
        return name.removesuffix("LMHeadModel"), "CausalLM"
    if "For" in name:
        family, _, head = name.rpartition("For")
        return family.removesuffix("Model"), head
    return (name.removesuffix("Model"), "Model") if name.endswith("Model") else ("", "")
