# SPDX-License-Identifier: Apache-2.0
from .classify import (
    Clues as Clues,
    Setting as Setting,
    observe as observe,
    stand_in as stand_in,
    stand_in_of as stand_in_of,
)
from .documents import arch_in as arch_in
from .op_cases import observe_cases as observe_cases
from .reading import (
    OTHER as OTHER,
    REPEATED as REPEATED,
    STAND_IN as STAND_IN,
    JUnitReport as JUnitReport,
    Reading as Reading,
    ReadOptions as ReadOptions,
    read_reports as read_reports,
)
