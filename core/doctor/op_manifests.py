# SPDX-License-Identifier: Apache-2.0
"""Mistakes in manifests of op tests, each with its correction if that takes no judgement."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.doctor.check import Check
from core.domain.model import Finding
from core.edits import corrections, to_json
from core.ops import MANIFEST_KIND, manifest_findings
from core.payload.ttmatrix_payload.ops import Manifest

OP_MANIFEST = Check(MANIFEST_KIND, "a mistake in a manifest of op tests: the case, or the file, is left out")


def corrected_findings(root: Path, manifests: Iterable[Manifest]) -> Iterator[Finding]:
    """The findings of manifests, with paths relative to the checkout `root`."""
    for manifest in manifests:
        findings = manifest_findings((manifest,))
        if not any(one.correction for one in manifest.problems):
            yield from findings
            continue
        try:
            text = read_text(root / manifest.path)
        except TTMatrixError:
            yield from findings
            continue
        found = corrections(text, manifest.path, manifest.problems)
        for finding, operations in zip(findings, found, strict=True):
            yield finding._replace(fix=tuple(to_json(operations)))
