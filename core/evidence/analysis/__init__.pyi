# SPDX-License-Identifier: Apache-2.0
from .backends import (
    NUMBERS as NUMBERS,
    BackendComparison as BackendComparison,
    BackendKind as BackendKind,
    OnTwoBackends as OnTwoBackends,
    backends_of as backends_of,
    compare_backends as compare_backends,
    two_backends as two_backends,
)
from .change_points import (
    RECENT as RECENT,
    ChangeKind as ChangeKind,
    ChangePoint as ChangePoint,
    levels_of as levels_of,
)
from .clusters import (
    Cluster as Cluster,
    ClusterCell as ClusterCell,
    cluster_order as cluster_order,
    find_clusters as find_clusters,
    issue_link as issue_link,
    with_canonical as with_canonical,
    with_link as with_link,
)
from .comparison import (
    Between as Between,
    Comparison as Comparison,
    Difference as Difference,
    DifferenceKind as DifferenceKind,
    OneCommit as OneCommit,
    between as between,
    chosen_run as chosen_run,
    commits_from as commits_from,
    compare as compare,
)
from .failures import CellFailure as CellFailure, last_failures as last_failures
from .issues import (
    Advice as Advice,
    Citation as Citation,
    Due as Due,
    IssueAdvice as IssueAdvice,
    citations as citations,
    due_notes as due_notes,
    issue_advice as issue_advice,
    noted_cells as noted_cells,
)
from .noise import Shift as Shift
from .op_rates import (
    BackendNumbers as BackendNumbers,
    Night as Night,
    Tally as Tally,
    measure_results as measure_results,
    nights as nights,
)
from .performance import (
    Measurement as Measurement,
    MetricChange as MetricChange,
    Series as Series,
    Trend as Trend,
    better as better,
    course_of as course_of,
    newest_change as newest_change,
    numbers_of as numbers_of,
    series_of as series_of,
    with_numbers as with_numbers,
)
from .performance_text import (
    PERF_HEADER as PERF_HEADER,
    perf_lines as perf_lines,
    perf_rows as perf_rows,
    series_name as series_name,
)
from .profile_comparison import (
    Change as Change,
    Metric as Metric,
    ProfileTable as ProfileTable,
    profile_table as profile_table,
)
from .profile_text import (
    FORMATS as FORMATS,
    HEADER as HEADER,
    exported as exported,
    exported_rows as exported_rows,
    table_lines as table_lines,
)
from .since import (
    FLAKINESS_RESULTS as FLAKINESS_RESULTS,
    CellCourse as CellCourse,
    broken_together as broken_together,
    courses_of as courses_of,
)
from .since_text import (
    Commits as Commits,
    SinceLine as SinceLine,
    commit_lines as commit_lines,
    commits_between as commits_between,
    commits_of as commits_of,
    since_lines as since_lines,
)
from .stability import Course as Course, Stability as Stability, courses as courses
