# SPDX-License-Identifier: Apache-2.0
"""Block formats: 16 numbers share an exponent."""

import pytest
import torch

from core.payload.ttmatrix_payload.execute.block_formats import BLOCK, round_weights, rounded


def test_a_block_holds_multiples_of_one_step() -> None:
    numbers = torch.tensor([1.0, 0.5, 0.06, 0.04, -0.9999])
    # The exponent of 1.0 as a fraction below 1 is 1, so that 3 bits make steps of 2 / 8.
    assert rounded(numbers, 3).tolist() == [1.0, 0.5, 0.0, 0.0, -1.0]
    assert rounded(torch.tensor([0.99, 0.06]), 3).tolist() == [0.875, 0.0]


@pytest.mark.parametrize(("bits", "length"), [(7, 16), (7, 33), (3, 1), (3, 48)])
def test_the_error_is_at_most_a_step(bits: int, length: int) -> None:
    torch.manual_seed(0)
    numbers = torch.randn(4, length) * torch.logspace(-9, 9, 4)[:, None]
    made = rounded(numbers, bits)
    assert made.shape == numbers.shape
    for at in range(0, length, BLOCK):
        part, new = numbers[:, at : at + BLOCK], made[:, at : at + BLOCK]
        step = 2.0 ** (torch.frexp(part.abs().amax(-1)).exponent - bits)
        assert bool(((part - new).abs() <= step[:, None]).all())
    assert torch.equal(rounded(made, bits), made)


def test_zeros_stay() -> None:
    assert rounded(torch.zeros(2, 16), 7).abs().sum() == 0


def test_linear_weights_are_rounded_by_the_last_pattern_that_fits() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Conv1d(1, 1, 3), torch.nn.Linear(16, 2))
    before = {name: one.detach().clone() for name, one in model.named_parameters()}
    assert round_weights(model, {"*": "bfp_bf4", "2.*": "bf16"}) == {"0.weight": "bfp_bf4"}
    same = {name for name, one in model.named_parameters() if torch.equal(one, before[name])}
    assert same == before.keys() - {"0.weight"}
