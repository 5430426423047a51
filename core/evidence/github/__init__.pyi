# SPDX-License-Identifier: Apache-2.0
from .actions import Actions as Actions, Wanted as Wanted
from .ends import LOG_BYTES as LOG_BYTES, log_lines as log_lines
from .fetch import Counts as Counts, Destination as Destination, fetch_reports as fetch_reports
from .performance import Performance as Performance
from .transport import Expired as Expired, Transport as Transport, find_token as find_token
