# SPDX-License-Identifier: Apache-2.0
from .document import Block as Block, Document as Document, read_document as read_document
from .file_draft import FileDraft as FileDraft, Source as Source
from .layout import Layout as Layout, new_item as new_item
from .manifest import canonical as canonical, read_manifest as read_manifest
from .meaning import field_change as field_change, meaning_of as meaning_of, value_of as value_of
from .paths import path_at as path_at
