# SPDX-License-Identifier: Apache-2.0
"""The words of the domain as frozen values: ids, loaders, entries, cells, findings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar


class Status(StrEnum):
    """What an entry expects of a cell (upstream `ModelTestStatus`)."""

    EXPECTED_PASSING = "EXPECTED_PASSING"
    KNOWN_FAILURE_XFAIL = "KNOWN_FAILURE_XFAIL"
    NOT_SUPPORTED_SKIP = "NOT_SUPPORTED_SKIP"
    UNSPECIFIED = "UNSPECIFIED"
    EXCLUDE_MODEL = "EXCLUDE_MODEL"


class BringupStatus(StrEnum):
    """How far a model gets (upstream `BringupStatus`)."""

    FAILED_FE_COMPILATION = "FAILED_FE_COMPILATION"
    FAILED_TTMLIR_COMPILATION = "FAILED_TTMLIR_COMPILATION"
    FAILED_RUNTIME = "FAILED_RUNTIME"
    INCORRECT_RESULT = "INCORRECT_RESULT"
    PASSED = "PASSED"
    UNKNOWN = "UNKNOWN"
    NOT_STARTED = "NOT_STARTED"


class Framework(StrEnum):
    """The directory name that holds a loader; each has its own test function."""

    PYTORCH = "pytorch"
    JAX = "jax"


class Function(StrEnum):
    """Test functions of `tests/runner/test_models.py`. An id alone does not name a test; with this it does."""

    TORCH = "test_all_models_torch"
    JAX = "test_all_models_jax"
    LLM = "test_llms_torch"
    OP_BY_OP = "test_all_models_op_by_op"
    PLACEHOLDER = "test_placeholder_models"


TEST_MODULE = "tests/runner/test_models.py"

_STANDARD = re.compile(
    r"(?P<directory>.+?/(?:pytorch|jax))(?:-(?P<variant>.+))?"
    r"-(?P<parallelism>single_device|data_parallel|tensor_parallel)(?P<full>-full)?-(?P<mode>inference|training)"
)
_LLM = re.compile(
    r"(?P<directory>.+?/pytorch)(?:-(?P<variant>.+))?"
    r"-(?P<phase>llm_decode|llm_prefill)(?:-seq_(?P<seq_len>\d+)-batch_(?P<batch_size>\d+))?"
    r"-(?P<parallelism>single_device|tensor_parallel|(?:megatron|fsdp)-(?:no_dp|dp)-tensor_parallel)"
    r"(?:-(?P<mesh>mesh_default|mesh_\d+x\d+))?-(?P<mode>inference|training)"
)


@dataclass(frozen=True, slots=True)
class LlmShape:
    """The parts only LLM ids have. `seq_len` 1 means that none is given; `batch_size` is per device."""

    phase: str
    seq_len: int | None
    batch_size: int | None
    """None, as `seq_len`, in ids of early 2026, which name the phase alone."""
    mesh: str
    """Empty in ids from before meshes were a part of them."""


@dataclass(frozen=True, slots=True)
class TestId:
    """The text between `[` and `]` of a node id, taken apart (spec 1.5). `str()` gives the text back."""

    __test__: ClassVar[bool] = False

    directory: str
    """Loader directory relative to the models root, ending in `/pytorch` or `/jax`."""
    variant: str | None
    parallelism: str
    """For LLM ids the sharding, for example `megatron-no_dp-tensor_parallel`."""
    mode: str
    llm: LlmShape | None = None
    full: bool = False
    """Whether the id has the part `full`, which ids had before 2026."""

    @classmethod
    def parse(cls, text: str) -> "TestId | None":
        """Take `text` apart; None where it follows neither grammar (a placeholder, a stray key)."""
        if match := _LLM.fullmatch(text):
            seq_len, batch_size = (int(size) if size else None for size in match.group("seq_len", "batch_size"))
            shape = LlmShape(match["phase"], seq_len, batch_size, match["mesh"] or "")
            return cls(match["directory"], match["variant"], match["parallelism"], match["mode"], shape)
        if match := _STANDARD.fullmatch(text):
            full = match["full"] is not None
            return cls(match["directory"], match["variant"], match["parallelism"], match["mode"], full=full)
        return None

    def __str__(self) -> str:
        base = f"{self.directory}-{self.variant}" if self.variant else self.directory
        if self.llm is None:
            return f"{base}-{self.parallelism}{'-full' if self.full else ''}-{self.mode}"
        sizes = "" if self.llm.seq_len is None else f"-seq_{self.llm.seq_len}-batch_{self.llm.batch_size}"
        mesh = f"-{self.llm.mesh}" if self.llm.mesh else ""
        return f"{base}-{self.llm.phase}{sizes}-{self.parallelism}{mesh}-{self.mode}"

    @property
    def framework(self) -> Framework:
        return Framework(self.directory.rpartition("/")[2])

    @property
    def function(self) -> Function:
        """The function that runs this id by itself (not its op-by-op twin)."""
        if self.llm is not None:
            return Function.LLM
        return Function.TORCH if self.framework is Framework.PYTORCH else Function.JAX


def node_id(function: Function, test_id: str) -> str:
    """The pytest node id, relative to the checkout."""
    return f"{TEST_MODULE}::{function}[{test_id}]"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong in a checkout, with the place to look at. Lines and columns start at 1; 0: unknown."""

    kind: str
    message: str
    file: str
    """Path relative to the checkout."""
    line: int = 0
    column: int = 0
    id: str = ""
    mend: tuple[Mapping[str, object], ...] = ()
    """Operations in their JSON form that together take the finding away; empty: a person must decide."""


@dataclass(frozen=True, slots=True)
class Loader:
    """One `<directory>/loader.py` and what it contributes (spec 1.2), in the order of the file."""

    directory: str
    variants: tuple[str, ...] = ()
    """Values of the variant enum; empty: one id without a variant part."""
    prefill_variants: tuple[str, ...] | None = None
    """Variants of the prefill class; None: the loader has no such class."""
    has_decode: bool = False
    broken: str = ""
    """Why importing it cannot work, where the source tells; such a loader contributes nothing at run time."""

    @property
    def framework(self) -> Framework:
        return Framework(self.directory.rpartition("/")[2])


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a `test_config` mapping with the place where it stands."""

    id: str
    file: str
    """Path relative to the test_config directory."""
    line: int
    """1-based line of the key."""
    end_line: int
    """1-based line of the entry's last value."""
    fields: Mapping[str, object] = field(default_factory=dict)
    """Values as YAML means them, `arch_overrides` included."""
    places: Mapping[tuple[str, ...], tuple[int, int]] = field(default_factory=dict)
    """1-based line and column of the entry's key `()`, of each field's key by its path, such as
    `("arch_overrides", "n150", "status")`, and of each item of a list, by its field's path and its index as text."""

    @property
    def overrides(self) -> Mapping[str, Mapping[str, object]]:
        """Override mappings by arch; malformed ones are left out (they are findings)."""
        raw = self.fields.get("arch_overrides")
        if not isinstance(raw, dict):
            return {}
        return {str(arch): values for arch, values in raw.items() if isinstance(values, dict)}


class Provenance(StrEnum):
    """Where an effective value comes from."""

    DEFAULT = "default"
    ENTRY = "entry"
    OVERRIDE = "override"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Effective:
    """What one field resolves to for one arch."""

    value: object
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a loader says about one variant of its model (upstream `ModelInfo`), as texts."""

    model: str
    variant: str | None
    """As the loader reports it, which is not always the variant of the id; None: it reports none."""
    group: str
    task: str
    source: str
    framework: str
    """As the loader reports it; it may differ from the directory's."""

    @property
    def name(self) -> str:
        """The name reports and IR dumps use (spec 1.7). Parts may hold `_`, so it cannot be taken apart again."""
        return f"{self.framework}_{self.model}_{self.variant}_{self.task}_{self.source}"
