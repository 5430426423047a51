# SPDX-License-Identifier: Apache-2.0
"""The registry of output classes in upstream's `training_utils.py`, read without importing it."""

import re
from collections.abc import Iterator, Mapping

import libcst as cst

from core.workflows.loader_code.analysis import Code, NoSite, Splice, Statement, constant, dotted, parsed
from core.workflows.loader_code.edits.edit import EditKind, SourceEdit
from core.workflows.loader_code.model_library import normal

REGISTRY_FILE = "training_utils.py"
"""Relative to the models root."""
_BY_ATTRIBUTE, _BY_HANDLER = "_register_attr", "_register_handler"


def read_registry(source: str) -> Mapping[str, str | None]:
    """The registered attribute of each output class; None for a class with its own handler.

    Raises TTMatrixError if the file is not valid Python, as the functions below do.
    """
    return {name: attribute for _, name, attribute in _lines(parsed(source))}


def register(source: str, output_class: str, attribute: str) -> SourceEdit | NoSite:
    """Add `_register_attr("<class>", "<attribute>")` at its alphabetical place, ignoring case.

    NoSite where the class is registered already, where the registry is empty, or where a name is not an identifier.
    """
    code = parsed(source)
    lines = list(_lines(code))
    if not output_class.isidentifier() or not attribute.isidentifier():
        return NoSite(f"{output_class!r} and {attribute!r} cannot be registered: they are not names")
    for line, name, known in lines:
        if name == output_class:
            return NoSite(
                f"{name} is registered already (line {code.line(line)}), as {known or 'a handler of its own'}"
            )
    if not lines:
        return NoSite(f"{REGISTRY_FILE} registers no class by {_BY_ATTRIBUTE}")
    after = [line for line, name, _ in lines if _place(name) < _place(output_class)]
    before = [line for line, name, _ in lines if _place(name) > _place(output_class)]
    # Before the first line that sorts after it, else at the end.
    at = code.line_start(code.start(before[0])) if before else code.line_end(code.end(after[-1]))
    text = f'{_BY_ATTRIBUTE}("{output_class}", "{attribute}")\n'
    if not code.part(0, at).endswith("\n"):
        text = "\n" + text.removesuffix("\n")
    summary = f"register {output_class} by its {attribute}"
    number = code.part(0, at).count("\n") + 1 + text.startswith("\n")
    return SourceEdit(EditKind.REGISTER, number, summary, source, code.spliced([Splice(at, at, text)]))


def unregister(source: str, output_class: str) -> SourceEdit | NoSite:
    """Remove the line of `output_class`. NoSite where there is none."""
    code = parsed(source)
    for line, name, attribute in _lines(code):
        if name == output_class and attribute is not None:
            start, end = code.line_start(code.start(line)), code.line_end(code.end(line))
            summary = f"remove the handler of {name}: its {attribute} is not a tensor"
            return SourceEdit(
                EditKind.UNREGISTER, code.line(line), summary, source, code.spliced([Splice(start, end, "")])
            )
    return NoSite(f"no line of {REGISTRY_FILE} registers an attribute of {output_class}")


def _lines(code: Code) -> Iterator[tuple[Statement, str, str | None]]:
    """Each statement that registers a class, with the class and the attribute."""
    for statement in code.module.body:
        match statement:
            case cst.SimpleStatementLine(body=[cst.Expr(value=cst.Call(func=function, args=[one, other]))]):
                name, attribute = constant(one.value), constant(other.value)
                if dotted(function) == _BY_ATTRIBUTE and isinstance(name, str) and isinstance(attribute, str):
                    yield statement, name, attribute
                elif dotted(function) == _BY_HANDLER and isinstance(name, str):
                    yield statement, name, None


def _place(name: str) -> tuple[str, str]:
    return name.casefold(), name


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
"""Endings of output classes, and what the model class has after `For` in that case."""
_GENERAL = frozenset({"", "Seq2Seq", "BaseModel"})
"""Beginnings of output classes that are not specific to one model."""
_NO_MODELS = frozenset({"PreTrainedModel", "EncoderDecoderModel", "VisionEncoderDecoderModel"})
"""Named like bare models, but the first has no forward and the others return only Seq2SeqLMOutput."""


def may_return(module: str, name: str, output_class: str, about: str = "") -> bool:
    """Whether class `name`, imported from `module`, may return `output_class`, judged by names.

    `AutoModelForCausalLM` may return every causal language model's output, `GPT2ForSequenceClassification` its own
    and the general one, `DPRReader` those that begin with its name. An Auto class does not return the output class
    of a specific model that the loader does not mention in `about`, the result of `mentioned_by`.
    """
    if not _LIBRARY.fullmatch(module) or not name[:1].isupper() or name in _NO_MODELS:
        return False
    if output_class.startswith(name) and output_class.removeprefix(name).startswith("Output"):
        return True
    if module.startswith("diffusers"):
        return output_class == f"{name.removesuffix('Model')}Output"
    heads = [(output, model) for output, model in _HEADS if output in output_class]
    # A class without a head returns what a bare model returns.
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
