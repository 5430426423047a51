# SPDX-License-Identifier: Apache-2.0
"""Print which requirement lines of loaders this interpreter lacks, as JSON by directory: `main` of `install`.

python requirements_lacking.py DIRECTORY...
"""

import sys
from pathlib import Path

# The script's directory is not on the path if Python was started with PYTHONSAFEPATH.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from ttmatrix_payload.requirements.install import main

main(sys.argv[1:])
