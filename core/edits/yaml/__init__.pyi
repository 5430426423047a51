# SPDX-License-Identifier: Apache-2.0
from .file_draft import FileDraft as FileDraft, Source as Source
from .meaning import field_change as field_change, meaning_of as meaning_of
