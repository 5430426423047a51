# SPDX-License-Identifier: Apache-2.0
"""Apply a finding's fix, and check that it removes the finding and adds none."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping

from core.doctor.doctor import diagnose
from core.domain.model import Finding
from core.edits import parse_operations, plan
from core.matrix import Matrix
from core.matrix.indexing import join
from core.sources import parse_expectations

Find = Callable[..., list[Finding]]
"""Called with a check and YAML entries: the findings of that check."""


def assert_mend_heals(matrix: Matrix, finding: Finding) -> Matrix | None:
    """Apply the fix of `finding`, if it has one, and compare all findings before and after.

    Returns the matrix after it; None if there is no fix.
    """
    if not finding.fix:
        return None
    planned = plan(matrix.checkout.test_config, parse_operations(json.dumps(finding.fix)), matrix.schema)
    assert planned.rejected == ()
    assert planned.files, f"nothing changes: {finding.fix}"
    after = {edit.file: edit.after for edit in planned.files}
    mended = _with_texts(matrix, after)
    before, left = _told(diagnose(matrix)), _told(diagnose(mended))
    assert left - before == Counter(), f"the fix of {finding} brings findings"
    assert (before - left)[_key(finding)] == 1, f"the fix of {finding} leaves it"
    return mended


def _with_texts(matrix: Matrix, texts: Mapping[str, str]) -> Matrix:
    """The matrix of a checkout that differs in the text of some expectation files."""
    base = matrix.checkout.relative(matrix.checkout.test_config)
    files = tuple(
        parse_expectations(texts[file.name], file.name, f"{base}/{file.name}") if file.name in texts else file
        for file in matrix.files
    )
    of_files = {one.file for one in matrix.findings if one.file.startswith(f"{base}/")}
    findings = [one for one in matrix.findings if one.file not in of_files]
    findings += [one for file in files for one in file.findings]
    universe = [member for member in matrix.members() if member.id not in matrix.strays]
    return join(matrix.checkout, matrix.schema, matrix.loaders.values(), universe, files, tuple(findings))


def _told(findings: tuple[Finding, ...]) -> Counter[tuple[str, ...]]:
    return Counter(map(_key, findings))


def _key(finding: Finding) -> tuple[str, ...]:
    """A finding without its lines, which move, and without the file of an entry: a fix may move that."""
    return finding.kind, "" if finding.id else finding.file, finding.id, re.sub(r":\d+", "", finding.message)
