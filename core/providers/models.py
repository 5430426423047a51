# SPDX-License-Identifier: Apache-2.0
"""What loaders report about the model of each row (docs/rules.md 1.7), as columns."""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, cast

from core.domain.ids import TestId
from core.domain.model import Finding, ModelInfo
from core.matrix import Column, Matrix, OtherRows, row_kind
from core.matrix.cache import Cache, content_cache, of_loaders
from core.matrix.query import Plain, variant_column
from core.sources import LoaderInfos, ModelInfos, read_model_infos


def model_infos(cache: Cache, matrix: Matrix) -> ModelInfos:
    """The infos of the models of `matrix`, read again only if a Python file of the models tree has changed."""

    def read() -> ModelInfos:
        with content_cache(cache, "models", cache.checkout.models, LoaderInfos) as cached:
            return read_model_infos(cache.checkout, matrix.loaders.values(), cached)

    return of_loaders(cache, matrix, "models", ModelInfos, read)


def info_of(infos: ModelInfos, id: str) -> ModelInfo | None:
    """The info of the model that a test runs; None if it is unknown."""
    parsed = TestId.parse(id)
    return infos.known.get((parsed.directory, parsed.variant)) if parsed else None


def failure_of(infos: ModelInfos, id: str) -> Finding | None:
    """What the loader of a test raises when it is imported, asked or made; None: nothing that is certain."""
    parsed = TestId.parse(id)
    failure = infos.failures.get(parsed.directory) if parsed else None
    return failure.finding(parsed.directory) if parsed and failure else None


def ids_of_model(matrix: Matrix, infos: ModelInfos, name: str) -> list[str]:
    """The ids of the tests of the models called `name`, exactly; a name can belong to several (docs/rules.md 1.7)."""
    models = {key for key, info in infos.known.items() if info.name == name}
    directories = {directory for directory, _ in models}
    column = matrix.columns["loader"]
    near = column.select(range(len(matrix.ids)), directories)
    found = ((matrix.ids[row], TestId.parse(matrix.ids[row])) for row in near)
    return [id for id, parsed in found if parsed and (parsed.directory, parsed.variant) in models]


class _KindOfModels(Protocol):
    """What `core.kinds.Kind` says of the models that its rows are of."""

    def model_texts(self, rows: OtherRows) -> Mapping[str, Iterable[str]]: ...


_PARTS: dict[str, Callable[[ModelInfo], str]] = {
    "group": lambda info: info.group,
    "task": lambda info: info.task,
    "source": lambda info: info.source,
    "name": lambda info: info.name,
}


def provide(cache: Cache, matrix: Matrix) -> Plain:
    """Group, task, source and name of each row's model, from the cached infos; of other rows what their kind says."""
    models = matrix.model_tests
    behind: dict[str, dict[str, tuple[str, ...]]] = {}
    for one in matrix.others:
        for name, texts in cast(_KindOfModels, row_kind(one.kind)).model_texts(one).items():
            behind.setdefault(name, {}).update({id: (text,) for id, text in zip(one.ids, texts, strict=True)})
    return model_columns(models, model_infos(cache, models))._replace(behind=behind)


def model_columns(matrix: Matrix, infos: ModelInfos) -> Plain:
    """The columns of `provide` from the infos; a text is empty if the model has no info."""
    loaders, variants = matrix.columns["loader"], variant_column(matrix)
    pairs = list(zip(loaders.codes, variants.codes, strict=True))
    # A thousand models serve all rows, so each is looked up once.
    models = {pair: code for code, pair in enumerate(dict.fromkeys(pairs))}
    codes = [models[pair] for pair in pairs]
    known = [infos.known.get((loaders.values[one], variants.values[other] or None)) for one, other in models]

    def column(part: Callable[[ModelInfo], str]) -> Column:
        texts = Column.of(part(info) if info else "" for info in known)
        return Column.packed(texts.values, [texts.codes[code] for code in codes])

    return Plain({name: column(part) for name, part in _PARTS.items()})
