# SPDX-License-Identifier: Apache-2.0
"""How long op manifests take to read, as a ratio to PyYAML's C loader with a pydantic model: python -m tests.bench.op_manifests

At most 0.25 for 5,000 cases in files of 0.75 to 1.5 MB, each read for the first time by a process that has read nothing
yet. Once with shapes as models have them, which repeat, and once with random ones, which do not. pydantic is not among
the dependencies: pip install pydantic.
"""

import argparse
import gc
import importlib
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core.ops import read_op_tests
from tests.core.payload.ops.manifests import generated

CASES = 5_000
FILES = 3
_RANDOM = tuple(range(1, 3000))


_SCHEMA = """
from typing import Any
from pydantic import BaseModel, ConfigDict

class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")

class Tensor(Strict):
    shape: list[int]
    dtype: str | None = None
    init: str = "rand"
    init_args: dict[str, float] | None = None
    data: Any = None
    preset: str | None = None
    preset_args: dict[str, int] | None = None
    base_shape: list[int] | None = None
    contiguous: bool | None = None
    stride: list[int] | None = None
    storage_offset: int = 0
    device: str | None = None

class Argument(Strict):
    tensor: Tensor | None = None
    tensor_list: list[Tensor] | None = None
    value: Any = None
    py: str | None = None
    file: str | None = None

class Settings(Strict):
    dtype: str | None = None
    seed: int | None = None
    rtol: float | None = None
    atol: float | None = None
    skip_if: Any = None
    xfail_reason: str | None = None

class Case(Settings):
    name: str | None = None
    op: str | None = None
    inputs: list[Argument] = []
    attrs: dict[str, Any] | None = None
    kwmap: dict[str, Any] | None = None
    description: str = ""
    mark: str | list[str] | None = None
    marks: str | list[str] | None = None
    expects_error: Any = None

class Manifest(Strict):
    model: str | None = None
    default: Settings | None = None
    defaults: Settings | None = None
    op: str | None = None
    cases: list[Case]
"""


def _model() -> Callable[[Any], Any]:
    """A function that checks a document against the schema of a manifest."""
    names: dict[str, Any] = {"__name__": __name__}
    exec(_SCHEMA, names)
    check: Callable[[Any], Any] = names["Manifest"].model_validate
    return check


def _theirs(files: Sequence[Path], check: Callable[[Any], Any]) -> int:
    yaml: Any = importlib.import_module("yaml")
    documents = [check(yaml.load(file.read_bytes(), yaml.CSafeLoader)) for file in files]
    return sum(len(document.cases) for document in documents)


def _ours(directory: Path) -> int:
    tests = read_op_tests(directory, (), [directory])
    assert not any(one.problems for one in tests.manifests)
    return len(tests.rows)


def _cost(work: Callable[[], int]) -> float:
    gc.collect()
    start = time.process_time()
    assert work() == CASES
    return time.process_time() - start


def _write(directory: Path, seed: int, sizes: tuple[int, ...] | None) -> list[Path]:
    files = [directory / f"model_{number}.yaml" for number in range(FILES)]
    for number, file in enumerate(files):
        cases = CASES // FILES + (number < CASES % FILES)
        more = () if sizes is None else (sizes,)
        file.write_text(generated(random.Random(f"{seed} {number}"), cases, *more), encoding="utf-8")
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description="Reading op manifests.")
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    check = _model()
    for name, sizes in (("shapes that repeat", None), ("random shapes", _RANDOM)):
        ratios: list[float] = []
        for seed in range(rounds):
            with tempfile.TemporaryDirectory() as scratch:
                files = _write(Path(scratch), seed, sizes)
                theirs, ours = _cost(lambda f=files: _theirs(f, check)), _cost(lambda d=scratch: _ours(Path(d)))  # type: ignore[misc]
                megabytes = sum(file.stat().st_size for file in files) / 1e6
            ratios.append(ours / theirs)
            sys.stdout.write(f"{name}: {megabytes:.1f} MB, {ours:.2f} s over {theirs:.2f} s = {ours / theirs:.3f}\n")
        sys.stdout.write(f"{name}: median {statistics.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}\n")


if __name__ == "__main__":
    main()
