# SPDX-License-Identifier: Apache-2.0
from .base import (
    HISTORY as HISTORY,
    PROVIDERS as PROVIDERS,
    RUNS as RUNS,
    compute_columns as compute_columns,
    waiting_words as waiting_words,
)
from .history import history_columns as history_columns
from .jobs import (
    Selections as Selections,
    digest_of as digest_of,
    job_files as job_files,
    other_jobs as other_jobs,
    selected_jobs as selected_jobs,
    selections as selections,
)
from .models import (
    failure_of as failure_of,
    ids_of_model as ids_of_model,
    info_of as info_of,
    model_infos as model_infos,
)
