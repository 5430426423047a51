# SPDX-License-Identifier: Apache-2.0
"""What a loader says about its model: variants, group, task, source and framework."""

from dataclasses import dataclass
from enum import Enum
from typing import Optional


class StrEnum(Enum):
    """An enum whose text is its value, so that a variant reads the same in a test id as in the loader."""

    def __str__(self) -> str:
        return self.value


class ModelGroup(StrEnum):
    """How often a model is tested, and who looks at it first."""

    GENERALITY = "generality"
    RED = "red"
    PRIORITY = "priority"
    VULCAN = "vulcan"


class ModelTask(StrEnum):
    """What a model is for."""

    NLP_TEXT_CLS = "nlp_text_cls"
    NLP_TOKEN_CLS = "nlp_token_cls"
    NLP_EMBED_GEN = "nlp_embed_gen"
    NLP_CAUSAL_LM = "nlp_causal_lm"
    NLP_TRANSLATION = "nlp_translation"
    CV_IMAGE_CLS = "cv_image_cls"
    CV_IMAGE_SEG = "cv_image_seg"
    CV_VIDEO_CLS = "cv_video_cls"
    CV_OBJECT_DET = "cv_object_det"
    CV_DEPTH_EST = "cv_depth_est"
    CV_IMG_TO_IMG = "cv_img_to_img"
    CV_IMAGE_FE = "cv_image_fe"
    MM_ACTION_PREDICTION = "mm_action_prediction"
    ATOMIC_ML = "atomic_ml"


class ModelSource(StrEnum):
    """Where the weights come from. Every model of this tree is CUSTOM: written here and seeded."""

    HUGGING_FACE = "huggingface"
    TORCH_HUB = "torch_hub"
    CUSTOM = "custom"
    TORCHVISION = "torchvision"
    TIMM = "timm"
    GITHUB = "github"


class Framework(StrEnum):
    """What a model is written in."""

    JAX = "jax"
    TORCH = "pytorch"


class Parallelism(StrEnum):
    """How a test spreads a model over devices."""

    SINGLE_DEVICE = "single_device"
    DATA_PARALLEL = "data_parallel"
    TENSOR_PARALLEL = "tensor_parallel"


@dataclass(frozen=True)
class ModelInfo:
    """What reports say about one variant of one model."""

    model: str
    variant: StrEnum
    group: ModelGroup
    task: ModelTask
    source: ModelSource
    framework: Framework
    model_name_clean: Optional[str] = None

    @property
    def name(self) -> str:
        """The name reports use. Its parts may hold underscores, so it cannot be taken apart again."""
        parts = (self.framework, self.model, self.variant, self.task, self.source)
        return "_".join(str(part) for part in parts)

    def to_report_dict(self) -> dict:
        """The part of a report that describes the model."""
        return {
            "task": str(self.task),
            "source": str(self.source),
            "framework": str(self.framework),
            "model_arch": self.model,
            "variant_name": str(self.variant),
            "model_name_clean": self.model_name_clean,
        }


@dataclass
class ModelConfig:
    """What all variants have."""

    pretrained_model_name: str

    @property
    def model_name_clean(self) -> str:
        """The name without the organisation before its last slash."""
        return self.pretrained_model_name.rpartition("/")[2]


@dataclass
class LLMModelConfig(ModelConfig):
    """What variants of a language model have besides."""

    max_length: Optional[int] = None
    attention_mechanism: Optional[str] = None
    sliding_window: Optional[int] = None
