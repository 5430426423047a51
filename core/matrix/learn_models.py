# SPDX-License-Identifier: Apache-2.0
"""What loaders say about the model of each row (spec 1.7), as columns."""

from collections.abc import Callable

from core.matrix.cache import Cache
from core.matrix.columns import Column
from core.matrix.matrix import Matrix
from core.matrix.model_infos import model_infos
from core.matrix.query_columns import variant_column
from core.matrix.scope import Plain
from core.model import ModelInfo
from core.sources.model_info import ModelInfos

_PARTS: dict[str, Callable[[ModelInfo], str]] = {
    "group": lambda info: info.group,
    "task": lambda info: info.task,
    "source": lambda info: info.source,
    "name": lambda info: info.name,
}


def learn(cache: Cache, matrix: Matrix) -> Plain:
    """Group, task, source and name of each row's model, from the infos kept between starts."""
    return model_columns(matrix, model_infos(cache, matrix))


def model_columns(matrix: Matrix, infos: ModelInfos) -> Plain:
    """The same of known infos; a text is empty where the info of a model is not known."""
    loaders, variants = matrix.columns["loader"], variant_column(matrix)
    pairs = list(zip(loaders.codes, variants.codes, strict=True))
    # A thousand models stand for all rows.
    models = {pair: code for code, pair in enumerate(dict.fromkeys(pairs))}
    codes = [models[pair] for pair in pairs]
    known = [infos.known.get((loaders.values[one], variants.values[other] or None)) for one, other in models]

    def column(part: Callable[[ModelInfo], str]) -> Column:
        texts = Column.of(part(info) if info else "" for info in known)
        return Column.packed(texts.values, [texts.codes[code] for code in codes])

    return Plain({name: column(part) for name, part in _PARTS.items()})
