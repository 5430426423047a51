# SPDX-License-Identifier: Apache-2.0
from .codec import (
    FormatError as FormatError,
    Malformed as Malformed,
    decoded as decoded,
    decoded_at_once as decoded_at_once,
    packed as packed,
    parsed as parsed,
    plain as plain,
    read_as as read_as,
    reshaped as reshaped,
    typed as typed,
    unpacked as unpacked,
)
from .reading import (
    TEXT_BYTES as TEXT_BYTES,
    bytes_if_any as bytes_if_any,
    is_there as is_there,
    open_regular as open_regular,
    opened as opened,
    read_bytes as read_bytes,
    read_given as read_given,
    read_loosely as read_loosely,
    read_text as read_text,
)
from .record import As as As, Record as Record
from .replace import (
    Stamp as Stamp,
    atomic_write as atomic_write,
    drop_leftovers as drop_leftovers,
    replaced as replaced,
    stamp as stamp,
    write_whole as write_whole,
)
from .toml import toml_tables as toml_tables
