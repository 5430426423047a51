# SPDX-License-Identifier: Apache-2.0
from .batches import left_over as left_over, newest_batch as newest_batch
from .boards import boards_of_test as boards_of_test, own_arch as own_arch
from .courses import (
    Ahead as Ahead,
    Course as Course,
    Progress as Progress,
    batch_of as batch_of,
    course_of as course_of,
)
from .download_sizes import with_sizes as with_sizes
from .downloads import (
    Download as Download,
    Sources as Sources,
    download_lines as download_lines,
    size_text as size_text,
)
from .interpreter import Source as Source, find_interpreter as find_interpreter, forking_fault as forking_fault
from .kinds import (
    BISECT_KIND as BISECT_KIND,
    CPU_PAYLOAD as CPU_PAYLOAD,
    DEVICE_NODES as DEVICE_NODES,
    EXPORT_KINDS as EXPORT_KINDS,
    EXTRACT_KIND as EXTRACT_KIND,
    FORKED as FORKED,
    KINDS as KINDS,
    OP_RUNS as OP_RUNS,
    Export as Export,
    check_export as check_export,
    default_manifest as default_manifest,
    kind_for as kind_for,
    why_no_ops as why_no_ops,
)
from .machines import (
    archs_of_hosts as archs_of_hosts,
    expected_code as expected_code,
    supported_of as supported_of,
    with_needs as with_needs,
)
from .op_batches import (
    BACKENDS as BACKENDS,
    OpRequest as OpRequest,
    plan_ops as plan_ops,
    with_op_estimates as with_op_estimates,
)
from .own_tests import DEVICE as DEVICE, plan_own_test as plan_own_test
from .package_downloads import downloads_of_packages as downloads_of_packages, lacking as lacking
from .plan import (
    LaunchPlan as LaunchPlan,
    Options as Options,
    as_batch as as_batch,
    check_repeat as check_repeat,
    look_ahead as look_ahead,
    plan_again as plan_again,
    plan_launch as plan_launch,
    plan_test as plan_test,
    plan_tests as plan_tests,
    sources_of as sources_of,
    with_estimates as with_estimates,
)
from .preflight_checks import (
    Level as Level,
    Obstacle as Obstacle,
    Surroundings as Surroundings,
    Survey as Survey,
    of_sources as of_sources,
    preflight as preflight,
    refuse as refuse,
    survey as survey,
)
from .profile_batches import (
    compared_profiles as compared_profiles,
    newest_comparison as newest_comparison,
    plan_profiles as plan_profiles,
    profiles_of as profiles_of,
    with_sweep as with_sweep,
)
from .profiles import (
    default_kind as default_kind,
    find_profile as find_profile,
    known_profiles as known_profiles,
    scalar_text as scalar_text,
    shown_name as shown_name,
)
from .pytest_command import (
    upstream_words as upstream_words,
)
from .scale import MANY as MANY, Scale as Scale, scale_of as scale_of
from .time_limit import fitting as fitting, guess_of as guess_of
