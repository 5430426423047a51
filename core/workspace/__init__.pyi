# SPDX-License-Identifier: Apache-2.0
from .evidence import (
    CellSince as CellSince,
    Evidence as Evidence,
    JobTests as JobTests,
    RunsCompared as RunsCompared,
    look as look,
)
from .lasting import once as once
from .workspace import Workspace as Workspace
