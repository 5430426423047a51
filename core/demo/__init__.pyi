# SPDX-License-Identifier: Apache-2.0
from .layout import lay_out as lay_out
