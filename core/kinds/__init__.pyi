# SPDX-License-Identifier: Apache-2.0
from .kind import Kind as Kind
