# SPDX-License-Identifier: Apache-2.0
"""The stage in which a model failed: what the run recorded, else what its words tell (spec 4.5, 7.3)."""

import re
from collections.abc import Sequence

from core.evidence.observation import Ending, Observation
from core.model import BringupStatus

ORDER: Sequence[BringupStatus] = (
    BringupStatus.NOT_STARTED,
    BringupStatus.FAILED_FE_COMPILATION,
    BringupStatus.FAILED_TTMLIR_COMPILATION,
    BringupStatus.FAILED_RUNTIME,
    BringupStatus.INCORRECT_RESULT,
    BringupStatus.PASSED,
)
"""How far a model can come, the least first."""

_DEVICE = re.compile(r"\bTT_(?:FATAL|THROW)\b|Out of Memory|circular buffers|\bdevice\b", re.IGNORECASE)
_COMPILER = re.compile(r"\berror: |'?\b(?:ttir|ttnn|stablehlo)\.|ElementsAttr|\baborted\b|mlir::")
_EXCEPTION = re.compile(r"^(?!RuntimeError)(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b")


def stage_of(observation: Observation) -> BringupStatus:
    """Where one execution failed; UNKNOWN where nothing tells."""
    if observation.ending is Ending.INACCURATE:
        return BringupStatus.INCORRECT_RESULT
    if observation.stage in ORDER[1:4]:
        return observation.stage
    return stage_told(observation.reason) if observation.ending is Ending.FAILED else BringupStatus.UNKNOWN


def stage_told(reason: str) -> BringupStatus:
    """The stage that a reason speaks of, where the run has recorded none; UNKNOWN where it speaks of none."""
    if _DEVICE.search(reason):
        return BringupStatus.FAILED_RUNTIME
    if _COMPILER.search(reason):
        return BringupStatus.FAILED_TTMLIR_COMPILATION
    return BringupStatus.FAILED_FE_COMPILATION if _EXCEPTION.search(reason) else BringupStatus.UNKNOWN
