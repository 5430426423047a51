# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.conclude: the line that says why a test was not run."""

import pytest

from core.runs import stream_testcases
from core.runs.execution.conclude import why_not_run

LOADER = "tiny/causal_lm/pytorch"
NODE = f"tests/runner/test_models.py::test_all_models_torch[{LOADER}-Base-single_device-inference]"


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (
            f"ERROR: not found: {NODE}\n\nERROR: cannot import other/pytorch: ValueError: x\n"
            f"ERROR: cannot import {LOADER}: ModuleNotFoundError: No module named 'timm'\n",
            f"cannot import {LOADER}: ModuleNotFoundError: No module named 'timm'",
        ),
        (
            f"WARNING Cannot import path: /w/third_party/tt_forge_models/{LOADER}/loader.py: No module named 'timm'\n"
            f"ERROR: not found: /w/{NODE}\n(no match in any of [<Module test_models.py>])\n",
            f"cannot import {LOADER}: No module named 'timm'",
        ),
        (
            f"WARNING - Cannot import path: /w/third_party/tt_forge_models/{LOADER}/loader.py: Failed to import "
            "transformers.x because of the following error (look up to see its traceback):\n\nNo module named 'd'\n",
            f"cannot import {LOADER}: Failed to import transformers.x because of the following error (look up to see "
            "its traceback): No module named 'd'",
        ),
        (
            f"WARNING - Cannot import path: /w/third_party/tt_forge_models/very_{LOADER}/loader.py: x\n"
            f"ERROR: not found: {NODE}\n",
            f"not found: {NODE}",
        ),
        (
            "ERROR: usage: python -m pytest [options]\npython -m pytest: error: unrecognized arguments: --dump-irs\n",
            "unrecognized arguments: --dump-irs",
        ),
        (
            "ImportError while loading conftest '/w/tests/conftest.py'.\ntests/conftest.py:9: in <module>\n"
            "    import torch_xla\nE   ModuleNotFoundError: No module named 'torch_xla'\n",
            "ModuleNotFoundError: No module named 'torch_xla'",
        ),
        ("INTERNALERROR> Traceback\nINTERNALERROR> KeyError: 'arch'\n", "KeyError: 'arch'"),
        ("/usr/bin/python3: No module named pytest\n", "No module named pytest"),
        ("ERROR: xla needs torch_xla\n", "xla needs torch_xla"),
        (
            'Traceback (most recent call last):\nImportError: Error importing plugin "ttmatrix_payload.runner": No m\n',
            'ImportError: Error importing plugin "ttmatrix_payload.runner": No m',
        ),
        ("collected 1 item / 1 deselected / 0 selected\n", "1 deselected"),
        (f"ERROR: not found: {NODE}\n", f"not found: {NODE}"),
        ("collected 0 items\nUserWarning: x\n", ""),
    ],
)
def test_the_log_tells(log: str, why: str) -> None:
    assert why_not_run(log.splitlines(), [], LOADER) == why


def test_a_collection_failure_in_the_report_tells_and_the_failure_of_another_test_does_not() -> None:
    def cases(name: str, child: str) -> str:
        text = f'<testsuites><testsuite name="p"><testcase name="{name}">{child}</testcase></testsuite></testsuites>'
        return why_not_run([], [case for _, case in stream_testcases([text.encode()], "junit.xml")], LOADER)

    error = '<error message="collection failure">x.py:1: in a\nE   SyntaxError: bad input</error>'
    assert cases("tests.runner.test_models", error) == "SyntaxError: bad input"
    assert cases("test_all_models_torch[other]", '<failure message="ValueError: x">x</failure>') == ""
