# SPDX-License-Identifier: Apache-2.0
"""What the models of a matrix are called and which group they belong to, kept between starts."""

from core.ids import TestId
from core.matrix.cache import Cache
from core.matrix.kept_tree import of_loaders
from core.matrix.matrix import Matrix
from core.model import ModelInfo
from core.sources.model_info import ModelInfos, read_model_infos


def model_infos(cache: Cache, matrix: Matrix) -> ModelInfos:
    """The infos of the models of `matrix`, read anew only where a Python file of the models tree has changed."""
    return of_loaders(
        cache, matrix, "models", ModelInfos, lambda: read_model_infos(cache.checkout, matrix.loaders.values())
    )


def info_of(infos: ModelInfos, id: str) -> ModelInfo | None:
    """The info of the model that a test runs; None where it cannot be known."""
    parsed = TestId.parse(id)
    return infos.known.get((parsed.directory, parsed.variant)) if parsed else None


def ids_of_model(matrix: Matrix, infos: ModelInfos, name: str) -> list[str]:
    """The ids of the tests of the models called `name`, exactly; a name can belong to several (spec 1.7)."""
    models = {key for key, info in infos.known.items() if info.name == name}
    directories = {directory for directory, _ in models}
    column = matrix.columns["loader"]
    near = column.select(range(len(matrix.ids)), directories)
    found = ((matrix.ids[row], TestId.parse(matrix.ids[row])) for row in near)
    return [id for id, parsed in found if parsed and (parsed.directory, parsed.variant) in models]
