# SPDX-License-Identifier: Apache-2.0
from .ci_runs import (
    CiJob as CiJob,
    CiRun as CiRun,
    JobState as JobState,
    Page as Page,
    job_id as job_id,
    page_of as page_of,
)
from .drift import Drift as Drift, drifts_of as drifts_of
from .ending_fields import (
    Recommendation as Recommendation,
    Result as Result,
    recommend as recommend,
    stage_in as stage_in,
)
from .exchange import read_file as read_file, write_file as write_file
from .observation import (
    FAILURES as FAILURES,
    RAN as RAN,
    Ending as Ending,
    Observation as Observation,
    Origin as Origin,
)
from .perf_reports import (
    CHIPS as CHIPS,
    PerfReport as PerfReport,
    RawReport as RawReport,
    find_reports as find_reports,
    read_report as read_report,
)
from .reasons import alike as alike, quotable as quotable, signature as signature
from .results import Results as Results
from .retention import retain as retain
from .series import Series as Series
from .sources import (
    evidence_store as evidence_store,
    handwritten_observations as handwritten_observations,
    handwritten_results as handwritten_results,
    handwritten_store as handwritten_store,
    own_observation as own_observation,
    performance_store as performance_store,
    policy_of as policy_of,
    results_of as results_of,
    saved_verdicts as saved_verdicts,
)
from .store import Added as Added, evidence_stamp as evidence_stamp, store_file as store_file
from .store_ci import CiStore as CiStore
from .summary import (
    MARKS as MARKS,
    CellSummary as CellSummary,
    longest_strip as longest_strip,
    passes_text as passes_text,
    summary_of as summary_of,
    summary_text as summary_text,
)
