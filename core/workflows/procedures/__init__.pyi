# SPDX-License-Identifier: Apache-2.0
from .table import AUTO as AUTO, KINDS as KINDS, workflow as workflow
