# SPDX-License-Identifier: Apache-2.0
from .table import AUTO as AUTO, WORKFLOWS as WORKFLOWS, workflow as workflow
