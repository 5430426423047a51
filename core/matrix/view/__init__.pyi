# SPDX-License-Identifier: Apache-2.0
from .columns import (
    BY_TABLE_FIELD as BY_TABLE_FIELD,
    ENTRY_FIELDS as ENTRY_FIELDS,
    EVIDENCE as EVIDENCE,
    FROM_RESULTS as FROM_RESULTS,
    PCC_COURSE as PCC_COURSE,
    RUN_KINDS as RUN_KINDS,
    TABLE_FIELDS as TABLE_FIELDS,
    TIME_COURSE as TIME_COURSE,
    columns_elsewhere as columns_elsewhere,
    ordered as ordered,
    text_of_row as text_of_row,
)
from .grid import (
    ARCH as ARCH,
    BY_LAYOUT as BY_LAYOUT,
    LAYOUTS as LAYOUTS,
    RUNS as RUNS,
    Grid as Grid,
    by_rate as by_rate,
)
from .overviews import (
    LEARNED as LEARNED,
    Link as Link,
    Number as Number,
    Part as Part,
    Place as Place,
    Row as Row,
    Section as Section,
    findings_section as findings_section,
    has_results as has_results,
    not_counted as not_counted,
    overview as overview,
)
from .saved import Saved as Saved, change_saved as change_saved, read_saved as read_saved
from .spec import HeatOrder as HeatOrder, Trail as Trail, ViewSpec as ViewSpec
from .tally import (
    DECLARED as DECLARED,
    MIXED as MIXED,
    Outcomes as Outcomes,
    Rate as Rate,
    Tally as Tally,
    rate as rate,
    share as share,
    shares as shares,
)
from .tree import (
    BY_GROUPING as BY_GROUPING,
    GROUPINGS as GROUPINGS,
    Group as Group,
    Line as Line,
    Tree as Tree,
)
from .view import Facet as Facet, Targets as Targets, View as View, hidden_words as hidden_words
