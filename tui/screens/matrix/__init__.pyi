# SPDX-License-Identifier: Apache-2.0
from .screen import MatrixScreen as MatrixScreen
from .set_fields import SetFields as SetFields
