# SPDX-License-Identifier: Apache-2.0
"""The script that extracts ops: the same bytes each time, from every model of the sample."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core import payload
from core.domain.model import Framework
from core.matrix import index
from tests.support.sample import sample_checkout

_PROGRAM = """
import os, ops_extract
ops_extract.start_with_same_addresses()
print(ops_extract._AGAIN in os.environ, id(ops_extract))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="addresses are those of Linux")
def test_objects_have_the_same_addresses_each_time() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(payload.__file__).parent), "PYTHONHASHSEED": "0"}
    said = {subprocess.check_output([sys.executable, "-c", _PROGRAM], env=environment, text=True) for _ in range(4)}
    assert len(said) == 1
    assert said.pop().startswith("False ")


_LIMITED = """
import ops_extract
try:
    with ops_extract.time_limit(0.05, "0.05 s"):
        while True:
            try:
                sum(range(1000))
            except Exception:
                pass
except ops_extract.TimeIsUp as error:
    print(error)
"""


def test_a_model_that_catches_every_error_is_stopped_all_the_same() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(payload.__file__).parent)}
    said = subprocess.check_output([sys.executable, "-c", _LIMITED], env=environment, text=True, timeout=60)
    assert said == "it was stopped after 0.05 s\n"


_ALL = """
import sys
from pathlib import Path
import ops_extract
from ttmatrix_payload.extract.crashes import Calls
from ttmatrix_payload.models.loader import Problem

checkout, out = map(Path, sys.argv[1:3])
path = [*sys.path]
for test in sys.argv[3:]:
    # The import of a loader changes it.
    sys.path[:] = path
    loader, _, variant = test.partition(" ")
    named = [f"--variant={variant}"] if variant else []
    output = out / (test.translate(str.maketrans("/ +", "___")) + ".yaml")
    args = ops_extract.parse_arguments(
        [f"--checkout={checkout}", f"--loader={loader}", *named, "--seconds=2", f"--output={output}"]
    )
    print(test, ops_extract.extract(args, Calls()), flush=True)
"""
_WITHOUT_OPS = {
    "spot_detector": "it cannot be imported",
    "voxel_scatter": "it ends the process; see test_crashes",
}


@pytest.mark.slow("all models of the sample run")
def test_the_ops_of_every_sample_model_pass_on_eager_and_a_third_are_the_same_bytes_again(
    tmp_path: Path, warm_torch: Path
) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    loaders = [one for one in index(checkout).loaders.values() if one.framework is Framework.PYTORCH]
    tests = [
        f"{one.directory} {one.variants[0] if one.variants else ''}".strip()
        for one in loaders
        if one.directory.partition("/")[0] not in _WITHOUT_OPS
    ]
    assert len(tests) > 20
    environment = {**os.environ, "PYTHONPATH": str(Path(payload.__file__).parent), "PYTHONHASHSEED": "0"}
    found: list[dict[str, str]] = []
    for name, some in (("one", tests), ("two", tests[::3])):
        out = tmp_path / name
        out.mkdir()
        argv = [sys.executable, "-c", _ALL, str(checkout.root), str(out), *some]
        done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        found.append({file.name: file.read_text() for file in out.iterdir()})
    assert len(found[0]) == len(tests)
    assert found[1].items() <= found[0].items()
    assert len(found[1]) == len(tests[::3])
    argv = [str(warm_torch), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    argv += ["-p", "ttmatrix_payload.ops.plugin", "--noconftest"]
    argv += [
        "-c",
        os.devnull,
        "--rootdir=.",
        "--ops-dir=.",
        "--compile-backend=eager",
        f"--ops-json={tmp_path / 'ops.jsonl'}",
    ]
    done = subprocess.run(argv, cwd=tmp_path / "one", env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    results = [json.loads(line) for line in (tmp_path / "ops.jsonl").read_text().splitlines()]
    assert {one["status"] for one in results} == {"pass", "dup"}
    assert len(results) > 200
