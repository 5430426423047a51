# SPDX-License-Identifier: Apache-2.0
"""The script that extracts ops begins in a process whose memory is the same each time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core import payload

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
