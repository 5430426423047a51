# SPDX-License-Identifier: Apache-2.0
from .jobs import (
    Selection as Selection,
    Selector as Selector,
    covers_models as covers_models,
    job_problem as job_problem,
    placeholder_jobs as placeholder_jobs,
)
from .known_markers import (
    Doubt as Doubt,
    MarkerNames as MarkerNames,
    files_with_markers as files_with_markers,
    given_markers as given_markers,
    marker_names as marker_names,
    written_markers as written_markers,
)
from .markers import (
    groups as groups,
    keyword_matches as keyword_matches,
    mark_matches as mark_matches,
    markers_by_arch as markers_by_arch,
    names_in as names_in,
    problem as problem,
)
from .read import (
    Ci as Ci,
    query_name as query_name,
    read_ci as read_ci,
    read_selector as read_selector,
    selected as selected,
)
from .selection import Selected as Selected, job_name as job_name
