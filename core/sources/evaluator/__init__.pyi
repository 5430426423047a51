# SPDX-License-Identifier: Apache-2.0
from .model_info import ModelInfos as ModelInfos, read_model_infos as read_model_infos
