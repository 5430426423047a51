# SPDX-License-Identifier: Apache-2.0
from .jobs import (
    Selection as Selection,
    Selector as Selector,
    covers_models as covers_models,
    job_problem as job_problem,
    placeholder_jobs as placeholder_jobs,
)
from .markers import (
    groups as groups,
    keyword_matches as keyword_matches,
    mark_matches as mark_matches,
    markers_by_arch as markers_by_arch,
)
from .read import (
    Ci as Ci,
    query_name as query_name,
    read_ci as read_ci,
    read_selector as read_selector,
    selected as selected,
)
from .selection import Selected as Selected, job_name as job_name
