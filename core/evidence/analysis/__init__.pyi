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
from .clusters import (
    Cluster as Cluster,
    ClusterCell as ClusterCell,
    find_clusters as find_clusters,
    issue_link as issue_link,
    oldest as oldest,
    with_canonical as with_canonical,
    with_link as with_link,
)
from .comparison import (
    Between as Between,
    Comparison as Comparison,
    Difference as Difference,
    DifferenceKind as DifferenceKind,
    between as between,
    chosen_run as chosen_run,
    compare as compare,
)
from .issues import (
    Citation as Citation,
    IssueState as IssueState,
    State as State,
    ask as ask,
    citations as citations,
    read_states as read_states,
)
from .op_rates import (
    BackendNumbers as BackendNumbers,
    Tally as Tally,
    measure_results as measure_results,
)
from .profile_table import (
    Metric as Metric,
    ProfileTable as ProfileTable,
    profile_table as profile_table,
)
from .since import (
    FLAKINESS_RESULTS as FLAKINESS_RESULTS,
    CellCourse as CellCourse,
    broken_together as broken_together,
    courses_of as courses_of,
)
from .stability import Course as Course, Stability as Stability, courses as courses
