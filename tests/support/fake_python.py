# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the checkout's interpreter: takes the payload's arguments and behaves as told by the variant."""

import stat
import sys
from pathlib import Path

_SCRIPT = """#!{python}
import json, re, sys, time
line = " ".join(sys.argv)
nonce = re.search("--nonce=(\\\\w+)", line)[1]
print("loading the model", flush=True)
ok = "--variant=org/name" not in line
if "--variant=net-v1.5+aug" in line:
    print("waiting", flush=True)
    time.sleep(600)
phase = {{"dtype": "bfloat16", "ok": ok, "step": None if ok else "forward", "error_type": "RuntimeError",
         "error": None if ok else "mat1 and mat2 must have the same dtype", "inputs": [], "output": None}}
print("TTMATRIX-RESULT " + json.dumps({{"version": 1, "nonce": nonce, "problem": None, "phases": [phase]}}), flush=True)
sys.exit(0 if ok else 1)
"""


def use_fake_python(home: Path, directory: Path) -> None:
    """Make the settings below `home` name the stand-in: variant `tiny` passes, `org/name` fails, the other hangs."""
    script = directory / "python"
    script.write_text(_SCRIPT.format(python=sys.executable))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    config = home / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / "settings.toml").write_text(f'python = "{script}"\n')
