# SPDX-License-Identifier: Apache-2.0
"""Which loaders, variants and LLM phases a tree contributes, without importing it."""

from pathlib import Path

from core.model import Loader
from core.sources.loaders import loader_directories, scan_loaders
from tests.support.tree import loader_source, sample, write_checkout


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
    source = """
class ModelVariant(StrEnum):
    DEFAULT = "Default"
_VARIANTS = {ModelVariant.DEFAULT: None}
class ModelLoader(ForgeModel):
    _VARIANTS = _VARIANTS
"""
    assert _scan(tmp_path, {"a/pytorch": source})["a/pytorch"].variants == ("Default",)


def test_enum_of_another_file(tmp_path: Path) -> None:
    checkout = write_checkout(
        tmp_path,
        {
            "a/pytorch": "from .variants import V as E\nclass ModelLoader(ForgeModel):\n    _VARIANTS = {E.ONE: 1, E.LOST: 2}\n"
        },
        {},
    )
    (checkout.models / "a/pytorch/variants.py").write_text("class V(StrEnum):\n    ONE = 'first'\n")
    found, _ = scan_loaders(checkout, loader_directories(checkout.models, ()))
    assert found[0].variants == ("first", "lost")


def test_enum_without_variants_gives_one_plain_id(tmp_path: Path) -> None:
    source = "class ModelVariant(StrEnum):\n    A = 'a'\nclass ModelLoader(ForgeModel):\n    DEFAULT_VARIANT = ModelVariant.A\n"
    assert _scan(tmp_path, {"a/pytorch": source})["a/pytorch"] == Loader("a/pytorch")


def test_a_prefill_class_imported_from_elsewhere_does_not_count(tmp_path: Path) -> None:
    source = "from ...beta.pytorch.loader import ModelLoaderPrefill\nclass ModelLoader(ForgeModel): ...\n"
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
    assert "ModelLoader" in _scan(tmp_path, {"a/pytorch": "x = 1\n"})["a/pytorch"].broken


def test_an_import_above_the_root_is_ignored(tmp_path: Path) -> None:
    source = "from ........x import ModelLoader as M\nclass ModelLoader(M): ...\n"
    assert _scan(tmp_path, {"a/pytorch": source})["a/pytorch"].variants == ()


def test_before_prefill_classes_a_method_made_a_loader_a_prefill_loader(tmp_path: Path) -> None:
    source = loader_source(["1B", "3B"], decode=True) + "    def load_inputs_prefill(self):\n        return {}\n"
    checkout = write_checkout(tmp_path, {"a/pytorch": source, "b/pytorch": loader_source(["x"])}, {})
    (checkout.models / "base.py").write_text("class ForgeModel:\n    pass\n")
    found, _ = scan_loaders(checkout, loader_directories(checkout.models, ()))
    assert found == (Loader("a/pytorch", ("1B", "3B"), ("1B", "3B"), has_decode=True), Loader("b/pytorch", ("x",)))
