# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.quick: it reads the same as the YAML library, for any change of the text."""

import random
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from core.payload.ttmatrix_payload.ops.load import read_in_full
from core.payload.ttmatrix_payload.ops.quick import QuickReader
from tests.core.payload.ops.manifests import generated

SAMPLE = Path(__file__).parents[4] / "core/demo/tree/tests/op_manifests"
USUAL = generated(random.Random(3), 12)
UNUSUAL = """\
# A comment
defaults: {dtype: bf16}

cases:
  # of a case
  - name: one
    op: torch.add
    inputs:
    - tensor:
        shape: [2, 3]
        init: randint
        init_args:
          low: 1
          high: 7

    - value: {a: 1}
    description: |
      - name: not a case
        op: nothing

  - op: torch.view   # why
    inputs: [{tensor: {shape: [2,
      3]}}, {value: '
    marks: a'}]
    description: "x
    name: y"
  -   name: 'three'
      op: torch.neg
      skip_if: cfg.compile_backend == 'tt'
      device: x
"""
TEXTS = [*(path.read_text() for path in sorted(SAMPLE.glob("*.yaml"))), USUAL, UNUSUAL]


def _check(text: str) -> bool:
    """Check that the result equals a full read; returns whether it was read quickly."""
    quick = QuickReader().read(text, "m.yaml", "m")
    if quick is not None:
        assert quick == read_in_full(text, "m.yaml", "m")
    return quick is not None


@pytest.mark.parametrize("text", TEXTS)
def test_whole_files(text: str) -> None:
    _check(text)


def test_what_is_generated_is_read_quickly(real_manifest: Path) -> None:
    assert _check(real_manifest.read_text())


def test_the_usual_form_is_read_quickly() -> None:
    assert _check(USUAL) and _check(TEXTS[0])


_WORDS = [
    "'",
    '"',
    "    name: x\n",
    "  - name: z\n",
    "- ",
    ": ",
    "#",
    " # x\n",
    "\n",
    "  ",
    " ",
    "[",
    "]",
    "{",
    "}",
    "&a ",
    "*a",
    "!!str ",
    "null",
    "|\n",
    ">-\n",
    "\t",
    "~",
    "description: 'a\n",
    "cases:\n",
    "---\n",
    "    marks: [a]\n",
    "      - value: 1\n",
    "0",
    "-",
    ",",
]


@given(
    st.sampled_from(TEXTS),
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from([*_WORDS, "CUT", "LINE", "TWICE"])), max_size=4),
)
@example(UNUSUAL, [])
@example(USUAL, [(0.5, "&a ")])
def test_changed_in_any_way(text: str, changes: list[tuple[float, str]]) -> None:
    for where, change in changes:
        at = int(where * len(text))
        line, end = text.rfind("\n", 0, at) + 1, text.find("\n", at) + 1 or len(text)
        if change == "CUT":
            text = text[:at] + text[at + 7 :]
        elif change == "LINE":
            text = text[:line] + text[end:]
        elif change == "TWICE":
            text = text[:end] + text[line:end] + text[end:]
        else:
            text = text[:at] + change + text[at:]
    _check(text)


def test_what_is_remembered_of_one_file_does_not_change_another() -> None:
    quick = QuickReader()
    texts = [text.replace("dtype: fp32", "dtype: bf16") for text in TEXTS] + TEXTS
    for text in texts:
        manifest = quick.read(text, "m.yaml", "m")
        assert manifest is None or manifest == read_in_full(text, "m.yaml", "m")
