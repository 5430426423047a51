# SPDX-License-Identifier: Apache-2.0
from .listing import Spot as Spot
from .screen import MatrixScreen as MatrixScreen
from .set_fields import SetFields as SetFields
