# SPDX-License-Identifier: Apache-2.0
from .lists import (
    ChangeList as ChangeList,
    ChangeTable as ChangeTable,
    DecisionScreen as DecisionScreen,
    loader_of as loader_of,
)
from .screen import ReviewScreen as ReviewScreen
