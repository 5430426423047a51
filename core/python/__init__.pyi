# SPDX-License-Identifier: Apache-2.0
from .expressions import Expressions as Expressions
from .imports import ImportCheck as ImportCheck
from .known import name_of as name_of
from .outline import (
    ClassFacts as ClassFacts,
    ModuleFacts as ModuleFacts,
    imports_in as imports_in,
    read_module as read_module,
)
from .program import Parsed as Parsed, Program as Program
from .reached import CallGraph as CallGraph, ReachedCall as ReachedCall, last_name as last_name
from .resolver import Imported as Imported, Resolver as Resolver, module_files as module_files
from .syntax import (
    parse_expression as parse_expression,
    parse_python as parse_python,
)
from .texts import describe as describe
from .undefined import (
    LostClass as LostClass,
    Undefined as Undefined,
    lost_classes as lost_classes,
    undefined_names as undefined_names,
)
from .values import (
    Class as Class,
    External as External,
    Fixture as Fixture,
    Function as Function,
    Instance as Instance,
    Mark as Mark,
    Member as Member,
    ModuleScope as ModuleScope,
    Opaque as Opaque,
    Param as Param,
    Partial as Partial,
    Raised as Raised,
    Raises as Raises,
    Unknown as Unknown,
    Value as Value,
    unknown_object as unknown_object,
)
from .written import WrittenItem as WrittenItem, line_of as line_of, written_items as written_items
