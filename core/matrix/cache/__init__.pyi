# SPDX-License-Identifier: Apache-2.0
from .index_cache import Cache as Cache
from .loader_facts import of_loaders as of_loaders
from .workers import reindex as reindex
