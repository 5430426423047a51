# SPDX-License-Identifier: Apache-2.0
from .cell_lines import CellLines as CellLines
from .cell_table import CellTable as CellTable, MatrixGrid as MatrixGrid, NumberBoard as NumberBoard
from .cycle import Cycle as Cycle
from .dialog_box import DialogBox as DialogBox
from .facet_panel import FacetPanel as FacetPanel
from .filter_bar import FilterBar as FilterBar, QueryInput as QueryInput, WordFilter as WordFilter
from .form import Form as Form, TextField as TextField
from .group_table import GroupTable as GroupTable
from .key_line import KeyLine as KeyLine
from .line_base import CachedBox as CachedBox, CachedText as CachedText
from .lines_view import LinesView as LinesView, TextLines as TextLines
from .log_pane import LogPane as LogPane
from .log_view import LogView as LogView
from .matrix_table import MatrixTable as MatrixTable
from .pane_rule import PaneRule as PaneRule
from .program_painting import ProgramPainter as ProgramPainter
from .row_table import RowTable as RowTable, StillTable as StillTable
from .run_table import RunTable as RunTable
from .text_pane import RestingText as RestingText, TextPane as TextPane
