# SPDX-License-Identifier: Apache-2.0
"""Ingest reports of op cases, as the plugin's JUnit files."""

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from core.ops import case_key, read_op_tests
from core.sources import Checkout
from tests.support.cli import call


def ingest_cases(
    checkout: Checkout, file: Path, backend: str, results: Mapping[str, Mapping[str, object]], message: str = ""
) -> None:
    """Ingest a report of one run, named after `file`: by case id, its properties besides the usual ones.

    `status` is one of them. Cases that did not pass have `message` as their reason.
    """
    rows = {row.id: row for row in read_op_tests(checkout.root, ["tests/op_manifests"]).rows}
    cases = []
    for id, more in results.items():
        case = rows[id].case
        said = {
            "model": rows[id].manifest.model,
            "name": case.name,
            "op": case.op,
            "backend": backend,
            "key": case_key(rows[id]),
            "rtol": case.rtol,
            "atol": case.atol,
            "message": "" if more["status"] == "pass" else message,
            **more,
        }
        properties = "".join(
            f"<property name={quoteattr(key)} value={quoteattr(f'{value}')}/>" for key, value in said.items()
        )
        cases.append(f"<testcase classname='ops' name={quoteattr(id)}><properties>{properties}</properties></testcase>")
    file.write_text(f"<testsuites><testsuite name={quoteattr(file.stem)}>{''.join(cases)}</testsuite></testsuites>")
    called = call("ingest", file, "--run-name", file.stem, "--repo", checkout.root)
    assert called.code == 0, called.err
