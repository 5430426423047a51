# SPDX-License-Identifier: Apache-2.0
"""The words that every observation is described with."""

from core.evidence import RAN, Ending
from tests.support.evidence import seen


def test_what_did_not_get_to_the_model_says_nothing_of_it() -> None:
    assert set(Ending) - RAN == {Ending.NOT_RUN, Ending.BROKEN}


def test_a_cell_is_an_id_on_an_arch() -> None:
    assert seen(test_id="a/pytorch-x", arch="p150").cell == ("a/pytorch-x", "p150")
