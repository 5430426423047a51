# SPDX-License-Identifier: Apache-2.0
from .actions import Actions as Actions, Artefact as Artefact, Wanted as Wanted
from .artefacts import (
    artefact_directory as artefact_directory,
    artefacts_directory as artefacts_directory,
    fetch_artefact as fetch_artefact,
)
from .dumps import Dump as Dump, OfJob as OfJob, dumps_here as dumps_here, dumps_of as dumps_of
from .ends import hangs as hangs, line_of_error as line_of_error, line_of_test as line_of_test
from .fetch import (
    Counts as Counts,
    Destination as Destination,
    fetch_reports as fetch_reports,
    last_asked as last_asked,
)
from .fetched import InUse as InUse, retain_fetched as retain_fetched
from .logs import (
    LogPart as LogPart,
    fetch_log as fetch_log,
    is_whole as is_whole,
    log_file as log_file,
    logs_directory as logs_directory,
    read_lines as read_lines,
)
from .lookups import Lookups as Lookups
from .process import FetchProcess as FetchProcess
from .transport import Expired as Expired, Transport as Transport, connect as connect
