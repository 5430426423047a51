# SPDX-License-Identifier: Apache-2.0
from .base import SessionScreen as SessionScreen
from .clusters import ClustersScreen as ClustersScreen
from .compare import CompareScreen as CompareScreen
from .dialogs import Confirm as Confirm, Notice as Notice
from .doctor import DoctorScreen as DoctorScreen
from .launch import Launch as Launch
from .overview import OverviewScreen as OverviewScreen
from .pick import HelpScreen as HelpScreen
from .runs import RunsScreen as RunsScreen
from .triage import TriageScreen as TriageScreen
from .workflows import WorkflowsScreen as WorkflowsScreen
