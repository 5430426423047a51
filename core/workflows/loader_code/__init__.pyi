# SPDX-License-Identifier: Apache-2.0
from .model_config import Start as Start
from .model_library import ModelLibrary as ModelLibrary
