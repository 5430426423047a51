# SPDX-License-Identifier: Apache-2.0
"""All findings about what CI runs and by which markers, cached until one of their inputs changes."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.ci import files_with_markers, groups, marker_names, read_selector, written_markers
from core.doctor.jobs import JobTests, NamedPresets
from core.doctor.markers import marker_findings
from core.doctor.presets import read_presets as read_written
from core.doctor.workflows import output_findings
from core.domain.model import Finding
from core.handwritten import read_tests
from core.matrix import Matrix, load, store
from core.matrix.cache import Cache
from core.providers import digest_of, job_files, model_infos
from core.sources import ModelInfos, stamps_of
from core.sources.ci import read_presets, read_workflows


@dataclass(frozen=True, slots=True)
class _Cached:
    digest: bytes
    """Digest of the matrix, its loaders and the hand-written tests."""
    findings: tuple[Finding, ...]


def ci_findings(cache: Cache, matrix: Matrix) -> tuple[Finding, ...]:
    """Findings in presets, in workflows, and in the markers of entries."""
    infos = model_infos(cache, matrix)
    digest = digest_of(matrix, infos)
    cached = load(cache.file("doctor_ci"))
    if isinstance(cached, _Cached) and cached.digest == digest:
        return cached.findings
    stamps = stamps_of([*job_files(cache.checkout), *files_with_markers(cache.checkout)])
    found = tuple(_found(cache, matrix, infos))
    store(cache.file("doctor_ci"), _Cached(digest, found), stamps)
    return found


def _found(cache: Cache, matrix: Matrix, infos: ModelInfos) -> Iterator[Finding]:
    expanded, _ = read_presets(cache.checkout)
    jobs = [job for preset in expanded for job in preset.jobs]
    names = marker_names(matrix, jobs, written_markers(cache.checkout))
    presets = read_written(matrix, names)
    selector, _ = read_selector(matrix, groups(infos.known))
    yield from presets.findings()
    yield from JobTests(presets, expanded, selector, read_tests(cache)).findings()
    workflows = read_workflows(cache.checkout)[0]
    yield from NamedPresets(cache.checkout, presets, workflows).findings()
    yield from output_findings(workflows)
    yield from marker_findings(matrix, names)
