# SPDX-License-Identifier: Apache-2.0
from .diff import Change as Change, ProgramDiff as ProgramDiff, Row as Row, diff_programs as diff_programs
from .folding import FOLDED as FOLDED, fold as fold, folded_lines as folded_lines
from .generated_code import Generated as Generated, generated as generated
from .ops import Op as Op, Ops as Ops
from .reading import Counts as Counts, count_ops as count_ops, read_ops as read_ops
from .stages import (
    Program as Program,
    Stage as Stage,
    programs as programs,
    programs_in as programs_in,
    same_program as same_program,
    stage_of as stage_of,
)
