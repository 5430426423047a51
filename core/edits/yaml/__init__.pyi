# SPDX-License-Identifier: Apache-2.0
from .file_draft import Draft as Draft
