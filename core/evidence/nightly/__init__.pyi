# SPDX-License-Identifier: Apache-2.0
from .areas import area_of_job as area_of_job, area_of_test as area_of_test
from .cells import Group as Group, Kind as Kind, NightCell as NightCell
from .known import Known as Known, known_of as known_of
from .night import LostJob as LostJob, Machine as Machine, Night as Night, Source as Source, read_night as read_night
from .speed import Speed as Speed, SpeedTrend as SpeedTrend, speeds_of as speeds_of
from .versions import Moved as Moved, Versions as Versions, versions_between as versions_between
