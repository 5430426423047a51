# SPDX-License-Identifier: Apache-2.0
from .index_cache import Cache as Cache
from .loader_facts import content_cache as content_cache, of_loaders as of_loaders
from .workers import (
    in_worker as in_worker,
    in_worker_until as in_worker_until,
    read_index as read_index,
    reindex as reindex,
)
