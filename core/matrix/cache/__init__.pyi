# SPDX-License-Identifier: Apache-2.0
from .index_cache import Cache as Cache
from .loader_facts import of_loaders as of_loaders
from .workers import ask_worker as ask_worker, be_worker as be_worker, reindex as reindex
