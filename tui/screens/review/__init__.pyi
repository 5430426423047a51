# SPDX-License-Identifier: Apache-2.0
from .lists import ChangeList as ChangeList
from .screen import ReviewScreen as ReviewScreen
