# SPDX-License-Identifier: Apache-2.0
"""Print which packages pip would fetch for loaders, and from where: `main` of `resolve`.

python requirements_resolve.py SECONDS PIP DIRECTORY...
"""

import sys
from pathlib import Path

# The script's directory is not on the path if Python was started with PYTHONSAFEPATH.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from ttmatrix_payload.requirements.resolve import main

main(sys.argv[1:])
