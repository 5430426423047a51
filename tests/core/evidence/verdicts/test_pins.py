# SPDX-License-Identifier: Apache-2.0
"""core.evidence.verdicts.expected: comments that pin an entry, in all places where people write them."""

from pathlib import Path

from core.evidence.verdicts import Policy
from core.evidence.verdicts.expected import pins
from core.sources import Schema, read_expectations
from tests.support.tree import INFERENCE, write_checkout

TEXT = """\
# ttmatrix:keep of the whole file? of nothing
test_config:
  # a note
  # ttmatrix:keep waits for the driver
  a/pytorch-single_device-inference:
    status: EXPECTED_PASSING  # ttmatrix:keep not the first
  b/pytorch-single_device-inference:
    status: EXPECTED_PASSING
    # ttmatrix:keep - on purpose
    reason: "x"
  c/pytorch-single_device-inference:   #ttmatrix:keep
    status: EXPECTED_PASSING

  # ttmatrix:keep far above

  d/pytorch-single_device-inference:
    status: EXPECTED_PASSING
  e/pytorch-single_device-inference:
    reason: "# ttmatrix:kept"
"""


def test_comments_and_the_list(tmp_path: Path) -> None:
    files = read_expectations(write_checkout(tmp_path, {}, {INFERENCE: TEXT}), Schema())
    policy = Policy(keep={"d/*": "by the list", "a/*": "by the list too"})
    suffix = "/pytorch-single_device-inference"
    assert pins(files, policy) == {
        f"a{suffix}": "waits for the driver",
        f"b{suffix}": "on purpose",
        f"c{suffix}": "no reason given",
        f"d{suffix}": "by the list",
    }
    assert pins(files, Policy()).keys() == {f"{name}{suffix}" for name in "abc"}
