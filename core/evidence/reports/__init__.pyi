# SPDX-License-Identifier: Apache-2.0
from .classify import (
    Setting as Setting,
    Signals as Signals,
    observe as observe,
    stand_in as stand_in,
    stand_in_of as stand_in_of,
)
from .documents import Problem as Problem, arch_in as arch_in, find_documents as find_documents
from .op_cases import observe_cases as observe_cases
from .reading import (
    OTHER as OTHER,
    REPEATED as REPEATED,
    STAND_IN as STAND_IN,
    JUnitReport as JUnitReport,
    Reading as Reading,
    ReadOptions as ReadOptions,
    read_report as read_report,
    read_reports as read_reports,
)
from .watching import changed_reports as changed_reports
