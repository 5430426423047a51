# SPDX-License-Identifier: Apache-2.0
from .events import (
    Finished as Finished,
    Queued as Queued,
    Returned as Returned,
    Started as Started,
    TreeState as TreeState,
    append_event as append_event,
    read_events as read_events,
)
from .queue import SERVICE as SERVICE, Queue as Queue, Ticket as Ticket
from .record import RunRecord as RunRecord, RunState as RunState
from .result import Phase as Phase, RunResult as RunResult
from .retention import Policy as Policy, size_on_disk as size_on_disk, surplus as surplus
from .store import (
    ARRIVALS as ARRIVALS,
    EVENTS as EVENTS,
    EXIT as EXIT,
    JUNIT as JUNIT,
    LOG as LOG,
    PROVENANCE as PROVENANCE,
    RESULTS as RESULTS,
    SESSION as SESSION,
    SPEC as SPEC,
    RunExists as RunExists,
    RunStore as RunStore,
    artefacts as artefacts,
    events_file as events_file,
    find_artefact as find_artefact,
    read_provenance as read_provenance,
    read_spec as read_spec,
)
