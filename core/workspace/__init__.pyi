# SPDX-License-Identifier: Apache-2.0
from .evidence import CellSince as CellSince, Evidence as Evidence, RunsCompared as RunsCompared
from .workspace import Workspace as Workspace
