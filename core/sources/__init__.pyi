# SPDX-License-Identifier: Apache-2.0
from .absent import (
    Absent as Absent,
    absent_configuration as absent_configuration,
    absent_files as absent_files,
    absent_loaders as absent_loaders,
)
from .advice import fetching as fetching, git_command as git_command, may_bring as may_bring
from .checkout import Checkout as Checkout, find_checkout as find_checkout, same_place as same_place
from .committed import Lacking as Lacking, read_lacking as read_lacking
from .compile_options import (
    CompileOption as CompileOption,
    Layer as Layer,
    OptionType as OptionType,
    read_compile_options as read_compile_options,
)
from .content_cache import ContentCache as ContentCache, Contents as Contents
from .expectation_file import ExpectationFile as ExpectationFile
from .expectations import (
    PLACEHOLDER_KEY as PLACEHOLDER_KEY,
    ROOT_KEY as ROOT_KEY,
    CachedFiles as CachedFiles,
    parse_expectations as parse_expectations,
    read_expectations as read_expectations,
    written_entries as written_entries,
)
from .git import (
    READING as READING,
    Blob as Blob,
    Commit as Commit,
    Edge as Edge,
    FileChange as FileChange,
    Git as Git,
    reading as reading,
)
from .importable import (
    NeededPackage as NeededPackage,
    mark_broken as mark_broken,
    needed_packages as needed_packages,
    shared_modules as shared_modules,
)
from .loader_files import (
    Code as Code,
    KnownFiles as KnownFiles,
    LoaderFiles as LoaderFiles,
    git_blob as git_blob,
)
from .loader_program import (
    LoaderInfos as LoaderInfos,
    LoaderProgram as LoaderProgram,
    ModelInfos as ModelInfos,
    read_model_infos as read_model_infos,
)
from .loaders import loader_directories as loader_directories, scan_loaders as scan_loaders
from .models_tree import (
    CachedModules as CachedModules,
    Lineages as Lineages,
    ModelsTree as ModelsTree,
    Unreadable as Unreadable,
    loader_file as loader_file,
    models_resolver as models_resolver,
)
from .pins import (
    TT_MLIR as TT_MLIR,
    compare_link as compare_link,
    pins_at as pins_at,
    pins_in as pins_in,
    read_pins as read_pins,
)
from .recorded_models import OtherModels as OtherModels, other_models as other_models, recorded_again as recorded_again
from .remote import web_address as web_address
from .schema import DEFAULT_ARCHS as DEFAULT_ARCHS, Schema as Schema
from .schema_read import SCHEMA_SOURCES as SCHEMA_SOURCES, read_schema as read_schema
from .stamps import (
    Stamp as Stamp,
    Stamps as Stamps,
    all_unchanged as all_unchanged,
    directories_below as directories_below,
    files_below as files_below,
    stamp_of as stamp_of,
    stamps_of as stamps_of,
    undisturbed as undisturbed,
)
from .trees import (
    INDEX as INDEX,
    WORK_TREE as WORK_TREE,
    EditedTree as EditedTree,
    Layout as Layout,
    Tree as Tree,
    read_tree as read_tree,
)
from .variants import variant_line as variant_line
from .yaml_syntax import (
    MOST_CHARACTERS as MOST_CHARACTERS,
    YAMLError as YAMLError,
    compose_yaml as compose_yaml,
    refuse_unbounded as refuse_unbounded,
    too_long as too_long,
)
