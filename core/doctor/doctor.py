# SPDX-License-Identifier: Apache-2.0
"""Every finding of a checkout. To add a kind of finding, write its Check in a module here and add it to CHECKS."""

from collections.abc import Iterable, Mapping, Sequence

from core.doctor.absent import ABSENT_FILE, OTHER_MODELS, other_models_findings, with_absent_files
from core.doctor.archs import DEAD_OVERRIDE, DEFAULT_ARCH, UNKNOWN_ARCH
from core.doctor.check import Check
from core.doctor.ci import ci_findings
from core.doctor.closed_issues import CLOSED_ISSUE
from core.doctor.defaults import NO_STATUS, PCC_CONFLICT, REDUNDANT_DEFAULT
from core.doctor.drift import PINNED_ELSEWHERE
from core.doctor.fields import BAD_VALUE, UNKNOWN_FIELD
from core.doctor.filing import DUPLICATE_KEY, MISFILED
from core.doctor.hand_written import LOST_TEST, test_findings
from core.doctor.ids import UNKNOWN_ID
from core.doctor.jobs import EMPTY_JOB, MISSING_PRESET, SAME_JOB, UNUSED_PRESET, WRONG_MACHINE
from core.doctor.loader_files import (
    LOST_VARIANT,
    NO_CLASSMETHOD,
    UNDEFINED_NAME,
    UNREAD_REQUIREMENTS,
    loader_file_findings,
)
from core.doctor.markers import ODD_MARKER
from core.doctor.op_manifests import OP_MANIFEST, corrected_findings
from core.doctor.overrides import REDUNDANT_OVERRIDE, SHADOWED_STATUS
from core.doctor.packages import EARLY_IMPORT, UNNAMED_PACKAGE
from core.doctor.placeholders import PLACEHOLDER_CLASH, placeholder_findings
from core.doctor.presets import PRESET_KEY, PRESET_MACHINE, PRESET_MARK, PRESET_PATH
from core.doctor.reading import (
    BROKEN_DURATIONS,
    BROKEN_LOADER,
    BROKEN_PRESET,
    BROKEN_SCHEMA,
    BROKEN_TEST,
    BROKEN_WORKFLOW,
    BROKEN_YAML,
    MISSING_FILECHECK,
    MISSING_FIXTURE,
    NO_JOB,
    RAISING_LOADER,
    UNUSED_FILECHECK,
    no_job_findings,
)
from core.doctor.workflows import UNSET_OUTPUT
from core.doctor.yaml_version import YAML_VERSION
from core.domain.model import Finding
from core.matrix import Matrix
from core.matrix.cache import Cache, content_cache, of_loaders
from core.ops import read_op_tests
from core.providers import model_infos, selected_jobs
from core.python import ModuleFacts
from core.sources import ModelsTree, mark_broken

CHECKS = (
    OTHER_MODELS,
    ABSENT_FILE,
    BROKEN_SCHEMA,
    BROKEN_LOADER,
    RAISING_LOADER,
    EARLY_IMPORT,
    UNNAMED_PACKAGE,
    UNDEFINED_NAME,
    NO_CLASSMETHOD,
    LOST_VARIANT,
    UNREAD_REQUIREMENTS,
    BROKEN_TEST,
    MISSING_FIXTURE,
    LOST_TEST,
    BROKEN_YAML,
    YAML_VERSION,
    UNKNOWN_FIELD,
    BAD_VALUE,
    UNKNOWN_ARCH,
    DEFAULT_ARCH,
    UNKNOWN_ID,
    DUPLICATE_KEY,
    MISFILED,
    NO_STATUS,
    DEAD_OVERRIDE,
    SHADOWED_STATUS,
    REDUNDANT_OVERRIDE,
    REDUNDANT_DEFAULT,
    PCC_CONFLICT,
    MISSING_FILECHECK,
    UNUSED_FILECHECK,
    ODD_MARKER,
    PLACEHOLDER_CLASH,
    CLOSED_ISSUE,
    PINNED_ELSEWHERE,
    NO_JOB,
    BROKEN_PRESET,
    PRESET_KEY,
    PRESET_MARK,
    PRESET_PATH,
    PRESET_MACHINE,
    EMPTY_JOB,
    SAME_JOB,
    WRONG_MACHINE,
    BROKEN_WORKFLOW,
    MISSING_PRESET,
    UNUSED_PRESET,
    UNSET_OUTPUT,
    BROKEN_DURATIONS,
    OP_MANIFEST,
)


_OF_LOADERS = (BROKEN_LOADER.kind, RAISING_LOADER.kind)


def kinds(checks: Iterable[Check] = CHECKS) -> Mapping[str, str]:
    """Help by kind, in the order of the checks."""
    return {check.kind: check.help for check in checks}


def diagnose(matrix: Matrix, checks: Iterable[Check] = CHECKS) -> tuple[Finding, ...]:
    """What was found while the checkout was read and what each check finds, by file and line."""
    return ordered([*matrix.findings, *(one for check in checks for one in check.find(matrix))])


def examine(cache: Cache, matrix: Matrix, op_directories: Sequence[str] = ()) -> tuple[Finding, ...]:
    """The findings of `diagnose`, and those that take longer: CI, imports that fail, and op manifests.

    `op_directories` are relative to the checkout.
    """
    selected = selected_jobs(cache, matrix)
    manifests = read_op_tests(matrix.checkout.root, op_directories).manifests
    loaders = (*matrix.findings, *_raising(cache, matrix))
    found = (
        *other_models_findings(cache.checkout),
        *diagnose(matrix),
        *loaders[len(matrix.findings) :],
        *loader_file_findings(cache, matrix),
        *test_findings(cache),
        *selected.findings,
        *ci_findings(cache, matrix),
        *placeholder_findings(cache, matrix),
        *no_job_findings(matrix, selected, {one.id for one in loaders if one.kind in _OF_LOADERS}),
        *corrected_findings(matrix.checkout.root, manifests),
    )
    # Commits are laid out elsewhere, and what is wrong is the same there.
    root = f"{matrix.checkout.root}/"
    relative = (one._replace(message=one.message.replace(root, "")) for one in found)
    return ordered(with_absent_files(matrix.checkout, relative))


def _raising(cache: Cache, matrix: Matrix) -> list[Finding]:
    """Loaders that raise when they are imported, asked or made, beyond those that the index shows already.

    Cached between starts, because it reads every module that a loader imports.
    """

    def read() -> tuple[Finding, ...]:
        with content_cache(cache, "outlines", matrix.checkout.models, ModuleFacts) as cached:
            tree = ModelsTree(matrix.checkout.models, cached=cached)
            return mark_broken(matrix.checkout, tree, matrix.loaders.values())[1]

    failures = model_infos(cache, matrix).failures.items()
    found = [*of_loaders(cache, matrix, "imports", tuple, read), *(one.finding(name) for name, one in failures)]
    known = {one.id for one in matrix.findings if one.kind in _OF_LOADERS}
    return [*{one.id: one for one in reversed(found) if one.id not in known}.values()]


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings by their places; first the one that all others depend on."""
    apart = OTHER_MODELS.kind

    def place(one: Finding) -> tuple[bool, str, int, int, str, str]:
        return one.kind != apart, one.file, one.line, one.column, one.kind, one.message

    return tuple(sorted(findings, key=place))
