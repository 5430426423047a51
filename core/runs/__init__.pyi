# SPDX-License-Identifier: Apache-2.0
from .capsule import Capsule as Capsule, differences as differences, pack as pack, unpack as unpack
from .case_results import (
    GOOD as GOOD,
    CaseDocument as CaseDocument,
    CaseProgress as CaseProgress,
    case_parts as case_parts,
    case_progress as case_progress,
    case_seconds as case_seconds,
    counts_text as counts_text,
    read_case_results as read_case_results,
)
from .environment import child_environment as child_environment
from .filecheck import (
    PATTERNS as PATTERNS,
    CheckedLine as CheckedLine,
    PatternResult as PatternResult,
    Trial as Trial,
    check_pattern as check_pattern,
    find_tool as find_tool,
    first_pattern as first_pattern,
    patterns_of as patterns_of,
    try_pattern as try_pattern,
)
from .junit import (
    FORKING_FAULT as FORKING_FAULT,
    UNHEARD as UNHEARD,
    CutReport as CutReport,
    PytestSession as PytestSession,
    Testcase as Testcase,
    UnreadableReport as UnreadableReport,
    deciding_case as deciding_case,
    file_chunks as file_chunks,
    rank as rank,
    read_testcase as read_testcase,
    read_testcases as read_testcases,
    stream_testcases as stream_testcases,
)
from .leases import EVERYTHING as EVERYTHING, device_leases as device_leases
from .outcome import (
    FAILURES as FAILURES,
    HARMLESS as HARMLESS,
    RESULT_PREFIX as RESULT_PREFIX,
    Outcome as Outcome,
    judge as judge,
    parse_result as parse_result,
)
from .reasons import (
    FAMILIES as FAMILIES,
    alike as alike,
    evidence_lines as evidence_lines,
    failure_reason as failure_reason,
    is_about_numbers as is_about_numbers,
    is_forced as is_forced,
    normalise as normalise,
    quotable as quotable,
    quoted_pcc as quoted_pcc,
    raised_reason as raised_reason,
    signature as signature,
    without_links as without_links,
)
from .sanitize import clean as clean, plain_line as plain_line
from .spec import (
    RUN_VARIABLE as RUN_VARIABLE,
    ResultFormat as ResultFormat,
    RunSpec as RunSpec,
    how_to_dump as how_to_dump,
    is_debugger as is_debugger,
    is_run_id as is_run_id,
    run_ids_in as run_ids_in,
    shell_command as shell_command,
)
from .tree import (
    Age as Age,
    TreeReader as TreeReader,
    ages as ages,
    branch_in as branch_in,
    changed_since as changed_since,
    is_of_lost_code as is_of_lost_code,
    newest_by_test as newest_by_test,
    of_checkout as of_checkout,
    own_runs as own_runs,
)
