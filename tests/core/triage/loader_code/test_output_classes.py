# SPDX-License-Identifier: Apache-2.0
"""core.triage.loader_code.output_classes: by how transformers names things."""

import pytest

from core.triage.loader_code.output_classes import may_return


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
    ],
)
def test_may_not(name: str, output: str) -> None:
    assert not may_return("transformers", name, output)
