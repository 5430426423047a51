# SPDX-License-Identifier: Apache-2.0
"""A tt-smi that names boards, for machines that have none."""

import json
import os
from pathlib import Path


def fake_tt_smi(directory: Path, *types: str) -> dict[str, str]:
    """Put a tt-smi into `directory` that names chips of these types; returns the environment in which it is found.

    It notes how it was asked in the file `asked`.
    """
    directory.mkdir(parents=True, exist_ok=True)
    chips = [{"board_info": {"bus_id": "0000:01:00.0", "board_type": one}} for one in types]
    (directory / "snapshot").write_text(json.dumps({"time": "now", "device_info": chips}))
    tool = directory / "tt-smi"
    tool.unlink(missing_ok=True)
    tool.write_text(f"#!/bin/sh\necho \"$@\" >> '{directory}/asked'\ncat '{directory}/snapshot'\n")
    tool.chmod(0o755)
    return {"PATH": f"{directory}{os.pathsep}/usr/bin{os.pathsep}/bin"}
