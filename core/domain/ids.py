# SPDX-License-Identifier: Apache-2.0
"""Test ids taken apart and put together again."""

import re
from dataclasses import dataclass
from typing import ClassVar

from core.domain.model import Framework, Function

_NODE_ID = re.compile(r"[^\[]*::(?P<function>\w+)\[(?P<id>.*)\]", re.DOTALL)
_FUNCTIONS = frozenset(Function)
_STANDARD = re.compile(
    r"(?P<directory>.+?/(?:pytorch|jax))(?:-(?P<variant>.+))?"
    r"-(?P<parallelism>single_device|data_parallel|tensor_parallel)(?P<full>-full)?-(?P<mode>inference|training)"
)
_LLM = re.compile(
    r"(?P<directory>.+?/pytorch)(?:-(?P<variant>.+))?"
    r"-(?P<phase>llm_decode|llm_prefill)(?:-seq_(?P<seq_len>\d{1,9})-batch_(?P<batch_size>\d{1,9}))?"
    r"-(?P<parallelism>single_device|tensor_parallel|(?:megatron|fsdp)-(?:no_dp|dp)-tensor_parallel)"
    r"(?:-(?P<mesh>mesh_default|mesh_\d+x\d+))?-(?P<mode>inference|training)"
)


@dataclass(frozen=True, slots=True)
class LlmShape:
    """The parts that only LLM ids have. `seq_len` 1 means that none is given; `batch_size` is per device."""

    phase: str
    seq_len: int | None
    batch_size: int | None
    """None, like `seq_len`, in ids of early 2026, which give only the phase."""
    mesh: str
    """Empty in older ids, which have no mesh."""


@dataclass(frozen=True, slots=True)
class TestId:
    """The text between `[` and `]` of a node id, taken apart (docs/rules.md 1.5). `str()` gives the text back."""

    __test__: ClassVar[bool] = False

    directory: str
    """Loader directory relative to the models root, ending in `/pytorch` or `/jax`."""
    variant: str | None
    parallelism: str
    """For LLM ids the sharding, for example `megatron-no_dp-tensor_parallel`."""
    mode: str
    llm: LlmShape | None = None
    full: bool = False
    """Whether the id has the part `full`, which only ids from before 2026 have."""

    @classmethod
    def parse(cls, text: str) -> "TestId | None":
        """Take `text` apart; None if it follows neither grammar (a placeholder, a stray key)."""
        if match := _LLM.fullmatch(text):
            seq_len, batch_size = (int(size) if size else None for size in match.group("seq_len", "batch_size"))
            shape = LlmShape(match["phase"], seq_len, batch_size, match["mesh"] or "")
            return cls(match["directory"], match["variant"], match["parallelism"], match["mode"], shape)
        if match := _STANDARD.fullmatch(text):
            full = match["full"] is not None
            return cls(match["directory"], match["variant"], match["parallelism"], match["mode"], full=full)
        return None

    def __str__(self) -> str:
        base = self.model
        if self.llm is None:
            return f"{base}-{self.parallelism}{'-full' if self.full else ''}-{self.mode}"
        sizes = "" if self.llm.seq_len is None else f"-seq_{self.llm.seq_len}-batch_{self.llm.batch_size}"
        mesh = f"-{self.llm.mesh}" if self.llm.mesh else ""
        return f"{base}-{self.llm.phase}{sizes}-{self.parallelism}{mesh}-{self.mode}"

    @property
    def model(self) -> str:
        """The beginning of the id: the loader's directory with the variant."""
        return f"{self.directory}-{self.variant}" if self.variant else self.directory

    @property
    def framework(self) -> Framework:
        return Framework(self.directory.rpartition("/")[2])

    @property
    def function(self) -> Function:
        """The function that runs this id by itself (not its op-by-op twin)."""
        if self.llm is not None:
            return Function.LLM
        return Function.TORCH if self.framework is Framework.PYTORCH else Function.JAX


def pasted(text: str) -> tuple[str, str]:
    """The test function and the id in a text as it is printed somewhere: `FUNCTION::ID`, or a pytest node id.

    The function is empty if there is none in it; then the text is the id, or a part of one.
    """
    match = _NODE_ID.fullmatch(text)
    if match is not None and match["function"] in _FUNCTIONS:
        return match["function"], match["id"]
    function, double, id = text.partition("::")
    return (function, id) if double and function in _FUNCTIONS else ("", text)
