# SPDX-License-Identifier: Apache-2.0
from .code import (
    STEP as STEP,
    WIDTH as WIDTH,
    Code as Code,
    NoSite as NoSite,
    Splice as Splice,
    Statement as Statement,
    constant as constant,
    dotted as dotted,
    key_of as key_of,
    member_of as member_of,
    nodes as nodes,
    own_method as own_method,
    parameters as parameters,
    parsed as parsed,
    suite as suite,
)
from .control_flow import Bindings as Bindings
from .frames import (
    OVERRIDE as OVERRIDE,
    AttributeKey as AttributeKey,
    Followed as Followed,
    Frame as Frame,
    Path as Path,
    mentions as mentions,
    outermost as outermost,
    spoken_name as spoken_name,
)
from .origin import (
    UNAWARE as UNAWARE,
    Nature as Nature,
    Origin as Origin,
    Place as Place,
    Spot as Spot,
    distinct as distinct,
    returns as returns,
)
from .reaching import writes as writes
from .returned import (
    Returned as Returned,
    has_key as has_key,
    mapping as mapping,
    returned_at as returned_at,
    returned_by as returned_by,
    room_after as room_after,
    sisters as sisters,
)
from .symptom import Symptom as Symptom, path_of as path_of
from .tensors import Made as Made, made_by as made_by
from .tracer import Tracer as Tracer
