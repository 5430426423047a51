# SPDX-License-Identifier: Apache-2.0
"""What recording the ops of a model adds to its forward on the CPU: python -m tests.bench.op_extraction

In CPU time of one thread, as a ratio in one run. At most 3x on top of the forward itself. A model whose ops take
microseconds is shown and not judged: calling torch takes it longer than computing does.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from core.payload.ttmatrix_payload.ops.recording import LEVELS, Recorder

MOST = 3.0
SMALL = 0.005
"""A forward shorter than this many seconds is not judged."""


def _models() -> list[tuple[str, Any, Any]]:
    """Name, model and input."""
    small, large = (
        [nn.TransformerEncoderLayer(size, 4, 4 * size, batch_first=True) for _ in range(2)] for size in (128, 512)
    )
    block = (nn.Conv2d(16, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
    convolutions = [layer for _ in range(8) for layer in block]
    return [
        ("convolutions", nn.Sequential(*convolutions), torch.randn(1, 16, 64, 64)),
        ("attention, 128 wide", nn.Sequential(*small), torch.randn(1, 64, 128)),
        ("attention, 512 wide", nn.Sequential(*large), torch.randn(1, 128, 512)),
        ("large products", nn.Sequential(*(nn.Linear(2048, 2048) for _ in range(8))), torch.randn(1, 2048)),
    ]


def _cost(work: Callable[[], object], rounds: int) -> float:
    work()
    costs = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        costs.append(time.process_time() - start)
    return statistics.median(costs)


def main() -> int:
    """Measure, print a line for each model; 1 if recording adds more than `MOST`."""
    parser = argparse.ArgumentParser(description="Recording the ops of a model.")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--level", choices=LEVELS, default=LEVELS[0])
    args = parser.parse_args()
    torch.set_num_threads(1)
    worst = 0.0
    for name, model, given in _models():
        model = model.eval()

        def recorded(model: Any = model, given: Any = given) -> Recorder:
            recorder = Recorder(args.level, "float32", Path())
            with recorder.recording(model):
                model(given)
            return recorder

        with torch.no_grad():
            calls = recorded().calls
            plain = _cost(lambda model=model, given=given: model(given), args.rounds)  # type: ignore[misc]
            added = (_cost(recorded, args.rounds) - plain) / plain
        worst = max(worst, added if plain > SMALL else 0.0)
        sys.stdout.write(f"{name}: forward {plain * 1e3:.1f} ms, {calls} calls, recording adds {added:.2f}x\n")
    return 1 if worst > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
