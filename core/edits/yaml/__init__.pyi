# SPDX-License-Identifier: Apache-2.0
from .file_draft import Draft as Draft, Source as Source
from .meaning import field_change as field_change, meaning_of as meaning_of
