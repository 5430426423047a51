# SPDX-License-Identifier: Apache-2.0
from .batch_detail import again_command as again_command, batch_text as batch_text, batch_words as batch_words
from .batch_list import RunRows as RunRows, batch_rows as batch_rows
from .batches import RunGroup as RunGroup
from .changes import effect_words as effect_words, rebase_words as rebase_words
from .clusters import (
    cluster_rows as cluster_rows,
    cluster_words as cluster_words,
    member_rows as member_rows,
    member_words as member_words,
)
from .detail import (
    detail_text as detail_text,
    group_text as group_text,
    row_text as row_text,
)
from .differences import (
    backend_rows as backend_rows,
    backend_sides as backend_sides,
    commit_words as commit_words,
    difference_groups as difference_groups,
    difference_rows as difference_rows,
    sides as sides,
)
from .evidence import (
    grade_lines as grade_lines,
    result_lines as result_lines,
    since_words as since_words,
    strip_lines as strip_lines,
)
from .findings import (
    finding_groups as finding_groups,
    finding_rows as finding_rows,
    said_of_all as said_of_all,
    shared_words as shared_words,
)
from .fitting import fit as fit, paragraph as paragraph, short_file as short_file
from .frame import (
    BESIDE_FROM as BESIDE_FROM,
    Identity as Identity,
    Tab as Tab,
    identity_bar as identity_bar,
    message_line as message_line,
    place_text as place_text,
    rule_line as rule_line,
    tab_line as tab_line,
)
from .grid import GridRows as GridRows, grid_legend as grid_legend
from .headings import NO_TITLES as NO_TITLES, HeadingTitles as HeadingTitles
from .history import step_rows as step_rows
from .hosts import (
    HostView as HostView,
    host_news as host_news,
    host_rows as host_rows,
    host_text as host_text,
    host_views as host_views,
    hosts_words as hosts_words,
)
from .ids import IdLook as IdLook
from .launch import launch_summary as launch_summary, launch_text as launch_text
from .lease import leases_words as leases_words
from .legends import Meaning as Meaning, arch_legend as arch_legend, legend as legend, query_help as query_help
from .markdown import rendered as rendered
from .matrix import MatrixRows as MatrixRows, TreeRows as TreeRows, order_words as order_words
from .nightly import (
    NightRow as NightRow,
    fetched_words as fetched_words,
    night_groups as night_groups,
    night_list as night_list,
    night_rows as night_rows,
    night_words as night_words,
)
from .op_case import op_results_text as op_results_text
from .op_report import NO_OP_RESULTS as NO_OP_RESULTS, OpReport as OpReport
from .overview import MOST_LANES as MOST_LANES, OverviewRows as OverviewRows, arranged as arranged
from .pairs import (
    ListedPairs as ListedPairs,
    Pair as Pair,
    PairLines as PairLines,
    Pairs as Pairs,
    ProgramPairs as ProgramPairs,
)
from .patterns import (
    checked_at as checked_at,
    pattern_lines as pattern_lines,
    program_lines as program_lines,
    verdict_words as verdict_words,
)
from .preview import (
    Preview as Preview,
    make_preview as make_preview,
    markdown_lines as markdown_lines,
    preview_lines as preview_lines,
    whole_lines as whole_lines,
)
from .profiles import SORTS as SORTS, Tried as Tried, profile_rows as profile_rows, profile_words as profile_words
from .programs import ops_text as ops_text, program_rows as program_rows
from .report import (
    NO_ROWS as NO_ROWS,
    NOTHING as NOTHING,
    ReportList as ReportList,
    ReportRow as ReportRow,
    list_legend as list_legend,
    list_tabs as list_tabs,
    list_words as list_words,
    report_plots as report_plots,
    report_rows as report_rows,
)
from .review import (
    PendingLook as PendingLook,
    ReviewLine as ReviewLine,
    ReviewRows as ReviewRows,
    change_name as change_name,
    count_words as count_words,
    decision_words as decision_words,
    edit_lines as edit_lines,
    edit_rows as edit_rows,
    edit_text as edit_text,
    heading_key as heading_key,
    search_text as search_text,
)
from .rows import (
    GroupedRows as GroupedRows,
    HeadedRows as HeadedRows,
    Row as Row,
    RowGroup as RowGroup,
    Rows as Rows,
    RowSource as RowSource,
)
from .run_detail import run_text as run_text
from .runs import (
    OutcomeLook as OutcomeLook,
    ended_words as ended_words,
    exit_words as exit_words,
    far_words as far_words,
    last_runs as last_runs,
    now_words as now_words,
    progress_text as progress_text,
    run_look as run_look,
)
from .session_plan import (
    PlanRow as PlanRow,
    plan_parts as plan_parts,
    plan_rows as plan_rows,
    plan_text as plan_text,
    plan_words as plan_words,
)
from .states import (
    StateRow as StateRow,
    by_shape as by_shape,
    group_words as group_words,
    rows_of_states as rows_of_states,
    state_groups as state_groups,
    state_rows as state_rows,
)
from .style import (
    Cell as Cell,
    Line as Line,
    TableColumn as TableColumn,
    clock_text as clock_text,
    count_text as count_text,
    counted as counted,
    diff_style as diff_style,
    facet_label as facet_label,
)
from .times import moment_text as moment_text
from .trend import trend_height as trend_height, trend_line as trend_line, trend_lines as trend_lines
from .triage import (
    Listed as Listed,
    Shown as Shown,
    TriageBy as TriageBy,
    TriageItems as TriageItems,
    TriageLook as TriageLook,
    group_listed as group_listed,
    item_of as item_of,
    listed_of as listed_of,
)
from .triage_group import (
    MOST_STRIPS as MOST_STRIPS,
    group_lines as group_lines,
    proposed_words as proposed_words,
    shared_lines as shared_lines,
    statuses_proposed as statuses_proposed,
)
from .widths import Fitted as Fitted, Fitting as Fitting, ListShare as ListShare
from .workflows import workflow_rows as workflow_rows, workflow_text as workflow_text
