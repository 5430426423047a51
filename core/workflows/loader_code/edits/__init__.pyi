# SPDX-License-Identifier: Apache-2.0
from .dtype import dtype_candidates as dtype_candidates
from .edit import (
    EditedFile as EditedFile,
    SourceEdit as SourceEdit,
    committed_content as committed_content,
    edited_files as edited_files,
    put as put,
    take_back as take_back,
)
from .families import (
    LOSSES as LOSSES,
    UnpackChoice as UnpackChoice,
    Unpacking as Unpacking,
    losses_named as losses_named,
    read_by as read_by,
    unpacking as unpacking,
)
from .inputs import (
    batch_of_two as batch_of_two,
    decoder_inputs as decoder_inputs,
    detection_targets as detection_targets,
)
from .loader_users import Confidence as Confidence, returning as returning, users as users
from .registry import (
    REGISTRY_FILE as REGISTRY_FILE,
    read_registry as read_registry,
    register as register,
    unregister as unregister,
)
from .unpack import has_override as has_override, unpack_override as unpack_override
