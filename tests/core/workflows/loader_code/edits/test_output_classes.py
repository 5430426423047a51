# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.registry: by how transformers names things."""

import pytest

from core.workflows.loader_code.edits.registry import may_return


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("AutoModelForCausalLM", "CausalLMOutputWithPast"),
        ("LlamaForCausalLM", "CausalLMOutputWithPast"),
        ("MambaForCausalLM", "MambaCausalLMOutput"),
        ("AutoModelForDepthEstimation", "DepthEstimatorOutput"),
        ("GLPNForDepthEstimation", "DepthEstimatorOutput"),
        ("DPRReader", "DPRReaderOutput"),
        ("DPRContextEncoder", "DPRContextEncoderOutput"),
        ("RTDetrForObjectDetection", "RTDetrObjectDetectionOutput"),
        ("AutoModelForObjectDetection", "RTDetrObjectDetectionOutput"),
        ("SpeechT5ForTextToSpeech", "Seq2SeqSpectrogramOutput"),
        ("T5ForConditionalGeneration", "Seq2SeqLMOutput"),
        ("AutoModelForSeq2SeqLM", "Seq2SeqLMOutput"),
        ("CLIPModel", "CLIPOutput"),
        ("AutoModel", "CLIPOutput"),
        ("PhiModel", "BaseModelOutputWithPast"),
        ("BertForSequenceClassification", "SequenceClassifierOutput"),
        ("GPT2LMHeadModel", "CausalLMOutputWithCrossAttentions"),
        ("SegformerForSemanticSegmentation", "SemanticSegmenterOutput"),
    ],
)
def test_may(name: str, output: str) -> None:
    assert may_return("transformers", name, output)
    assert not may_return("torchvision", name, output)


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("AutoTokenizer", "CausalLMOutputWithPast"),
        ("AutoConfig", "CLIPOutput"),
        ("AutoModel", "RTDetrObjectDetectionOutput"),
        ("YolosForObjectDetection", "RTDetrObjectDetectionOutput"),
        ("BertModel", "CLIPOutput"),
        ("LlamaForCausalLM", "MaskedLMOutput"),
        ("T5ForConditionalGeneration", "MaskedLMOutput"),
        ("cached_file", "CLIPOutput"),
        ("PreTrainedModel", "BaseModelOutputWithPooling"),
        ("VisionEncoderDecoderModel", "BaseModelOutput"),
        ("GPT2LMHeadModel", "BaseModelOutputWithPast"),
    ],
)
def test_may_not(name: str, output: str) -> None:
    assert not may_return("transformers", name, output)


@pytest.mark.parametrize(
    ("output", "about", "may"),
    [
        ("MambaCausalLMOutput", "mambapytorch statespacesmamba790mhf", True),
        ("MambaCausalLMOutput", "llamapytorch metallamallama3", False),
        ("CausalLMOutputWithPast", "llamapytorch", True),
    ],
)
def test_an_auto_class_returns_the_output_of_one_model_only_where_that_is_meant(
    output: str, about: str, may: bool
) -> None:
    assert may_return("transformers", "AutoModelForCausalLM", output, about) is may


def test_diffusers_has_output_classes_of_its_own() -> None:
    assert may_return("diffusers", "UNet2DConditionModel", "UNet2DConditionOutput")
    assert not may_return("diffusers", "UNet2DConditionModel", "BaseModelOutputWithPooling")
