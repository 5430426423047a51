# SPDX-License-Identifier: Apache-2.0
"""Which loaders, variants and LLM phases a tree contributes, without importing it."""

from pathlib import Path

import pytest

from core.domain.model import Loader
from core.sources import loader_directories, scan_loaders
from tests.support.tree import loader_source, sample, write_checkout

_HEAD = "from ...base import ForgeModel\nfrom ...config import StrEnum\n"


def _scan(root: Path, loaders: dict[str, str]) -> dict[str, Loader]:
    checkout = write_checkout(root, loaders, {})
    found, findings = scan_loaders(checkout, loader_directories(checkout.models, ()))
    assert findings == ()
    return {loader.directory: loader for loader in found}


def test_the_sample_tree(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    found, findings = scan_loaders(checkout, loader_directories(checkout.models, ()))
    assert findings == ()
    assert found == (
        Loader("alpha/pytorch", ("tiny", "net-v1.5+aug", "org/name")),
        Loader("beta/causal_lm/pytorch", ("1B", "3B"), ("1B",), has_decode=True),
        Loader("delta/pytorch", ()),
        Loader("gamma/jax", ("Base",)),
    )


def test_only_torch_and_jax_directories_count(tmp_path: Path) -> None:
    source = loader_source(["x"])
    wanted = {"a/pytorch": source, "b/c/jax": source}
    unwanted = {"a/onnx": source, "a/bounty_jax": source, "a/pytorch_old": source}
    checkout = write_checkout(tmp_path, wanted | unwanted, {})
    (checkout.models / "empty" / "pytorch").mkdir(parents=True)
    assert list(loader_directories(checkout.models, ())) == ["a/pytorch", "b/c/jax"]


def test_exclusion_is_by_the_parent_and_for_torch_only(tmp_path: Path) -> None:
    source = loader_source(["x"])
    checkout = write_checkout(tmp_path, {"ocr/pytorch": source, "ocr/jax": source, "ocr/deep/pytorch": source}, {})
    assert list(loader_directories(checkout.models, ("ocr",))) == ["ocr/deep/pytorch", "ocr/jax"]


def test_adapter_takes_all_from_the_loader_it_imports(tmp_path: Path) -> None:
    adapter = """
from ....base_model.causal_lm.pytorch.loader import ModelLoader as _Base, ModelLoaderPrefill as _BasePrefill

class Mixin: ...
class ModelLoader(Mixin, _Base): ...
class ModelLoaderPrefill(Mixin, _BasePrefill): ...
"""
    base = loader_source(["1B", "3B"], prefill=["3B"], decode=True)
    found = _scan(tmp_path, {"base_model/causal_lm/pytorch": base, "tuned/causal_lm/pytorch": adapter})
    assert found["tuned/causal_lm/pytorch"] == Loader("tuned/causal_lm/pytorch", ("1B", "3B"), ("3B",), has_decode=True)


def test_absolute_imports_of_the_tree_are_followed(tmp_path: Path) -> None:
    adapter = "from third_party.tt_forge_models.a.pytorch.loader import ModelLoader\n"
    other = "from tt_forge_models.a.pytorch.loader import ModelLoader as B\nclass ModelLoader(B): ...\n"
    found = _scan(tmp_path, {"a/pytorch": loader_source(["x"]), "b/pytorch": adapter, "c/pytorch": other})
    assert found["b/pytorch"].variants == found["c/pytorch"].variants == ("x",)


def test_variants_by_module_level_name(tmp_path: Path) -> None:
    source = (
        _HEAD
        + """
class ModelVariant(StrEnum):
    DEFAULT = "Default"
_VARIANTS = {ModelVariant.DEFAULT: None}
class ModelLoader(ForgeModel):
    _VARIANTS = _VARIANTS
"""
    )
    assert _scan(tmp_path, {"a/pytorch": source})["a/pytorch"].variants == ("Default",)


def test_enum_of_another_file(tmp_path: Path) -> None:
    checkout = write_checkout(
        tmp_path,
        {
            "a/pytorch": f"{_HEAD}from .variants import V as E\nclass ModelLoader(ForgeModel):\n    _VARIANTS = {{E.ONE: 1, E.TWO: 2}}\n"
        },
        {},
    )
    (checkout.models / "a/pytorch/variants.py").write_text(
        f"{_HEAD}class V(StrEnum):\n    ONE = 'first'\n    TWO = ONE + '!'\n"
    )
    found, _ = scan_loaders(checkout, loader_directories(checkout.models, ()))
    assert found[0].variants == ("first", "first!")


def test_enum_without_variants_gives_one_plain_id(tmp_path: Path) -> None:
    source = f"{_HEAD}class ModelVariant(StrEnum):\n    A = 'a'\nclass ModelLoader(ForgeModel):\n    DEFAULT_VARIANT = ModelVariant.A\n"
    assert _scan(tmp_path, {"a/pytorch": source})["a/pytorch"] == Loader("a/pytorch")


def test_a_prefill_class_imported_from_elsewhere_does_not_count(tmp_path: Path) -> None:
    source = f"{_HEAD}from ...beta.pytorch.loader import ModelLoaderPrefill\nclass ModelLoader(ForgeModel): ...\n"
    beta = loader_source(["x"], prefill=["x"])
    assert _scan(tmp_path, {"a/pytorch": source, "beta/pytorch": beta})["a/pytorch"].prefill_variants is None


def test_a_file_that_cannot_be_parsed_is_a_finding_and_the_rest_loads(tmp_path: Path) -> None:
    checkout = write_checkout(
        tmp_path, {"bad/pytorch": "class ModelLoader(:\n", "good/pytorch": loader_source(["x"])}, {}
    )
    found, findings = scan_loaders(checkout, loader_directories(checkout.models, ()))
    assert [loader.directory for loader in found] == ["good/pytorch"]
    assert [(one.kind, one.file, one.line) for one in findings] == [
        ("broken-loader", "third_party/tt_forge_models/bad/pytorch/loader.py", 1)
    ]


def test_imports_that_go_in_circles_end(tmp_path: Path) -> None:
    a = "from ...b.pytorch.loader import ModelLoader as M\nclass ModelLoader(M): ...\n"
    b = "from ...a.pytorch.loader import ModelLoader as M\nclass ModelLoader(M): ...\n"
    assert _scan(tmp_path, {"a/pytorch": a, "b/pytorch": b})["a/pytorch"].variants == ()


def test_a_module_without_the_class_is_marked_broken(tmp_path: Path) -> None:
    checkout = write_checkout(tmp_path, {"a/pytorch": "x = 1\n"}, {})
    (loader,), (finding,) = scan_loaders(checkout, ["a/pytorch"])
    assert loader.broken == "defines no class ModelLoader"
    assert finding.message == "Contributes no tests: defines no class ModelLoader"


_VARIANTS = f"{_HEAD}class V(StrEnum):\n    ONE = 'first'\n    TWO = 'second'\n"


@pytest.mark.parametrize(
    ("table", "variants"),
    [
        ("{one: None for one in V}", ("first", "second")),
        ("dict.fromkeys([V.TWO])", ("second",)),
        ("{**{V.ONE: 1}, V.TWO: 2}", ("first", "second")),
        ("{V('second'): 1}", ("second",)),
        ("{getattr(V, 'ONE'): 1}", ("first",)),
        ("{} if V else {V.ONE: 1}", ()),
    ],
)
def test_a_table_that_is_computed_is_evaluated(tmp_path: Path, table: str, variants: tuple[str, ...]) -> None:
    source = f"{_VARIANTS}class ModelLoader(ForgeModel):\n    _VARIANTS = {table}\n"
    assert _scan(tmp_path, {"a/pytorch": source})["a/pytorch"] == Loader("a/pytorch", variants)


def test_a_key_that_only_running_shows_is_written_as_the_validator_writes_it(tmp_path: Path) -> None:
    head = f"{_HEAD}from somewhere import E\n"
    source = f"{head}class ModelLoader(ForgeModel):\n    _VARIANTS = {{E.ONE: 1}}\n"
    assert _scan(tmp_path, {"a/pytorch": source})["a/pytorch"] == Loader("a/pytorch", ("one",))


@pytest.mark.parametrize(
    ("body", "raised", "variants"),
    [
        ("    _VARIANTS = {\n        V.ONE: 1,\n        V.LOST: 2,\n    }\n", "AttributeError at {}:9: ", ("first",)),
        ("    _VARIANTS = {V.ONE: 1}\n    DEFAULT_VARIANT = V.LOST\n", "AttributeError at {}:8: ", ("first",)),
        ("    _VARIANTS = {V.ONE: 1}\nstray\n", "NameError at {}:8: name 'stray'", ("first",)),
        ("    _VARIANTS = {V.ONE: Config()}\n", "NameError at {}:7: name 'Config'", ("first",)),
        ("    _VARIANTS = {V.ONE: 1}\n    def load(self) -> Optional[int]: ...\n", "NameError at {}:8: ", ("first",)),
        ("    _VARIANTS = {V.ONE: 1}\n    KINDS = {V.TWO: V.THREE}\n", "AttributeError at {}:8: ", ("first",)),
        ("    _VARIANTS = {V('lost'): 1}\n", "ValueError at {}:7: 'lost' is not a valid V", ()),
    ],
)
def test_a_loader_that_raises_is_broken_and_no_variant_is_invented(
    tmp_path: Path, body: str, raised: str, variants: tuple[str, ...]
) -> None:
    source = f"{_VARIANTS}class ModelLoader(ForgeModel):\n{body}"
    checkout = write_checkout(tmp_path, {"a/pytorch": source}, {})
    (loader,), (finding,) = scan_loaders(checkout, ["a/pytorch"])
    file = "third_party/tt_forge_models/a/pytorch/loader.py"
    text = f"raises {raised.format(file)}"
    assert loader.broken.startswith(text)
    assert loader.variants == variants
    assert (finding.kind, finding.file, finding.id) == ("broken-loader", file, "a/pytorch")
    assert f":{finding.line}:" in text
    assert finding.message == f"Contributes no tests: importing it {loader.broken}"


def test_a_model_info_that_raises_ends_every_collection(tmp_path: Path) -> None:
    body = "    _VARIANTS = {V.ONE: 1}\n    @classmethod\n    def _get_model_info(cls, variant=None):\n        return V.LOST\n"
    checkout = write_checkout(tmp_path, {"a/pytorch": f"{_VARIANTS}class ModelLoader(ForgeModel):\n{body}"}, {})
    (loader,), (finding,) = scan_loaders(checkout, ["a/pytorch"])
    assert loader.variants == ("first",)
    assert loader.broken.startswith("raises AttributeError at third_party/tt_forge_models/a/pytorch/loader.py:10: ")
    assert finding.kind == "raising-loader"
    assert "INTERNALERROR" in finding.message


def test_an_import_above_the_root_is_ignored(tmp_path: Path) -> None:
    source = "from ........x import ModelLoader as M\nclass ModelLoader(M): ...\n"
    assert _scan(tmp_path, {"a/pytorch": source})["a/pytorch"].variants == ()


def test_before_prefill_classes_a_method_made_a_loader_a_prefill_loader(tmp_path: Path) -> None:
    source = loader_source(["1B", "3B"], decode=True) + "    def load_inputs_prefill(self):\n        return {}\n"
    checkout = write_checkout(tmp_path, {"a/pytorch": source, "b/pytorch": loader_source(["x"])}, {})
    (checkout.models / "base.py").write_text("class ForgeModel:\n    pass\n")
    found, _ = scan_loaders(checkout, loader_directories(checkout.models, ()))
    assert found == (Loader("a/pytorch", ("1B", "3B"), ("1B", "3B"), has_decode=True), Loader("b/pytorch", ("x",)))
