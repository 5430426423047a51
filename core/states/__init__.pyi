# SPDX-License-Identifier: Apache-2.0
from .state import State as State, States as States
