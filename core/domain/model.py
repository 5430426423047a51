# SPDX-License-Identifier: Apache-2.0
"""The words of the domain as frozen values: ids, loaders, entries, cells, findings."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple


class Status(StrEnum):
    """What an entry expects of a cell (upstream `ModelTestStatus`)."""

    EXPECTED_PASSING = "EXPECTED_PASSING"
    KNOWN_FAILURE_XFAIL = "KNOWN_FAILURE_XFAIL"
    NOT_SUPPORTED_SKIP = "NOT_SUPPORTED_SKIP"
    UNSPECIFIED = "UNSPECIFIED"
    EXCLUDE_MODEL = "EXCLUDE_MODEL"


EXPECT_NO_PASS = (Status.KNOWN_FAILURE_XFAIL, Status.NOT_SUPPORTED_SKIP)
"""Of a test that fails or is not run; such an entry says why."""


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
    MODELS = "test_all_models"
    """The name of TORCH until the end of October 2025, when JAX was not tested by this module."""
    JAX = "test_all_models_jax"
    LLM = "test_llms_torch"
    LLM_DECODE = "test_llms_decode_torch"
    """The name of LLM for a few days of January 2026; its ids have the form of those of TORCH."""
    OP_BY_OP = "test_all_models_op_by_op"
    PLACEHOLDER = "test_placeholder_models"
    OP_CASE = "op_case"
    """Not a function of that module: a case of an op manifest, whose id is `model::case`, or a batch of cases."""
    HANDWRITTEN = "handwritten"
    """Not a function of that module: a hand-written test, whose id is its node id."""

    @property
    def beside_models(self) -> bool:
        """Whether its tests are others than those of models: an id is a whole node id, and there is no loader."""
        return self is Function.HANDWRITTEN

    @property
    def of_cases(self) -> bool:
        """Whether its tests are op cases, which run on backends and not on archs."""
        return self is Function.OP_CASE

    @property
    def of_whole_model(self) -> bool:
        """Whether it runs what a loader gives: others share ids with these and run less (docs/rules.md 1.5)."""
        return self in _OF_WHOLE_MODEL


_OF_WHOLE_MODEL = frozenset({Function.TORCH, Function.MODELS, Function.JAX, Function.LLM})


TEST_MODULE = "tests/runner/test_models.py"


def item_name(function: Function, test_id: str) -> str:
    """The name that pytest gives a test in its module and in reports."""
    if not function.beside_models:
        return f"{function}[{test_id}]"
    # The brackets may hold anything, also two colons.
    where, bracket, parameters = test_id.partition("[")
    return f"{where.rpartition('::')[2]}{bracket}{parameters}"


def node_id(function: Function, test_id: str) -> str:
    """The pytest node id, relative to the checkout."""
    if function.beside_models:
        return test_id
    return f"{TEST_MODULE}::{function}[{test_id}]"


class Severity(StrEnum):
    """How bad a finding is, least first; see `at_least`."""

    NOTE = "note"
    """Nothing goes wrong: it could be said better."""
    WARNING = "warning"
    """It works, but most likely not as somebody meant it."""
    ERROR = "error"
    """CI fails, or tests that somebody counts on do not run."""

    def at_least(self, other: "Severity") -> bool:
        """Whether this is as bad as `other`, or worse."""
        order = tuple(Severity)
        return order.index(self) >= order.index(other)


class Finding(NamedTuple):
    """Something wrong in a checkout, with the place to look at. Lines and columns start at 1; 0: unknown."""

    kind: str
    message: str
    file: str
    """Path relative to the checkout."""
    line: int = 0
    column: int = 0
    id: str = ""
    fix: tuple[Mapping[str, object], ...] = ()
    """Operations in their JSON form that together remove the finding; empty: a person must decide."""


class Loader(NamedTuple):
    """One `<directory>/loader.py` and the tests it contributes (docs/rules.md 1.2), in the order of the file."""

    directory: str
    variants: tuple[str, ...] = ()
    """Values of the variant enum; empty: one id without a variant part."""
    prefill_variants: tuple[str, ...] | None = None
    """Variants of the prefill class; None: the loader has no such class."""
    has_decode: bool = False
    broken: str = ""
    """Why importing it cannot work, as far as the source shows; such a loader contributes nothing at run time."""

    @property
    def framework(self) -> Framework:
        return Framework(self.directory.rpartition("/")[2])


class Entry(NamedTuple):
    """One key of a `test_config` mapping with the place where it is."""

    id: str
    file: str
    """Path relative to the test_config directory."""
    line: int
    """1-based line of the key."""
    end_line: int
    """1-based line of the entry's last value."""
    fields: Mapping[str, object] = MappingProxyType({})
    """Values as YAML parses them, `arch_overrides` included."""
    places: Mapping[tuple[str, ...], tuple[int, int]] = MappingProxyType({})
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


class Effective(NamedTuple):
    """What one field resolves to for one arch."""

    value: object
    provenance: Provenance


class ModelInfo(NamedTuple):
    """What a loader reports about one variant of its model (upstream `ModelInfo`), as texts."""

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
        """The name that reports and IR dumps use. Its parts may contain `_`, so it cannot be split into them again.

        See docs/rules.md 1.7.
        """
        return f"{self.framework}_{self.model}_{self.variant}_{self.task}_{self.source}"
