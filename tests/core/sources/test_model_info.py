# SPDX-License-Identifier: Apache-2.0
"""Model info is derived from the source of a loader, or the reason why it cannot be is given."""

import json
import pickle
import sys
import time
from pathlib import Path

import pytest

from core.base.processes import run_command
from core.domain.model import Loader, ModelInfo
from core.matrix import index
from core.sources import Checkout, ModelInfos, loader_directories, read_model_infos, scan_loaders
from tests.support.sample import sample_checkout
from tests.support.tree import write_checkout

_CONFIG = """
from dataclasses import dataclass
from enum import Enum

class StrEnum(Enum):
    def __str__(self): return self.value
class ModelGroup(StrEnum):
    GENERALITY = "generality"
    RED = "red"
class ModelTask(StrEnum):
    LM = "nlp_causal_lm"
    CLS = "cv_image_cls"
class ModelSource(StrEnum):
    HUB = "torch_hub"
    TIMM = "timm"
class Framework(StrEnum):
    TORCH = "pytorch"

@dataclass(frozen=True)
class ModelInfo:
    model: str
    variant: StrEnum
    group: ModelGroup
    task: ModelTask
    source: ModelSource
    framework: Framework

@dataclass
class ModelConfig:
    pretrained_model_name: str
    def __post_init__(self): pass
"""
_BASE = """
from abc import ABC
class ForgeModel(ABC):
    _VARIANTS = {}
    DEFAULT_VARIANT = None
    @classmethod
    def get_model_info(cls, variant=None): ...
    @classmethod
    def _get_model_info(cls, variant=None):
        raise NotImplementedError
"""
_HEAD = """
from ...config import Framework, ModelConfig, ModelGroup, ModelInfo, ModelSource, ModelTask, StrEnum
from ...base import ForgeModel
class ModelVariant(StrEnum):
    TINY = "Tiny"
    BIG = "org/Big"
"""
_LOADER = (
    _HEAD
    + """
class ModelLoader(ForgeModel):
    _VARIANTS = {{ModelVariant.TINY: ModelConfig("x/tiny"), ModelVariant.BIG: ModelConfig("x/big")}}
    DEFAULT_VARIANT = ModelVariant.TINY
    @classmethod
    def _get_model_info(cls, variant=None):
        {body}
"""
)
_RETURN = """return ModelInfo(model="Net", variant=variant, group={group}, task=ModelTask.LM,
            source=ModelSource.HUB, framework=Framework.TORCH)"""


def _read(root: Path, loaders: dict[str, str]) -> ModelInfos:
    checkout = write_checkout(root, loaders, {})
    (checkout.models / "config.py").write_text(_CONFIG)
    (checkout.models / "base.py").write_text(_BASE)
    return _infos(checkout)


def _infos(checkout: Checkout) -> ModelInfos:
    loaders, _ = scan_loaders(checkout, loader_directories(checkout.models, ()))
    return read_model_infos(checkout, loaders)


def _groups(root: Path, body: str) -> dict[str | None, str]:
    infos = _read(root, {"a/pytorch": _LOADER.format(body=body)})
    assert infos.unknown == {}
    return {variant: info.group for (_, variant), info in infos.known.items()}


def test_every_part_is_the_text_the_loader_reports(tmp_path: Path) -> None:
    infos = _read(tmp_path, {"a/pytorch": _LOADER.format(body=_RETURN.format(group="ModelGroup.RED"))})
    assert infos.known == {
        ("a/pytorch", variant): ModelInfo("Net", variant, "red", "nlp_causal_lm", "torch_hub", "pytorch")
        for variant in ("Tiny", "org/Big")
    }
    assert infos.unknown == {}


@pytest.mark.parametrize(
    "choice",
    [
        "if variant == ModelVariant.BIG:\n            group = ModelGroup.RED\n        else:\n            group = ModelGroup.GENERALITY",
        "group = ModelGroup.GENERALITY\n        if variant not in [ModelVariant.TINY]:\n            group = ModelGroup.RED",
        "group = ModelGroup.RED if 'Big' in variant.value else ModelGroup.GENERALITY",
        "group = ModelGroup.RED if any(x in variant.value for x in ('7B', 'Big')) else ModelGroup.GENERALITY",
        "group = {ModelVariant.BIG: ModelGroup.RED}.get(variant, ModelGroup.GENERALITY)",
        "group = ModelGroup.RED if variant is not cls.DEFAULT_VARIANT else ModelGroup.GENERALITY",
    ],
)
def test_the_group_may_depend_on_the_variant(tmp_path: Path, choice: str) -> None:
    body = f"{choice}\n        {_RETURN.format(group='group')}"
    assert _groups(tmp_path, body) == {"Tiny": "generality", "org/Big": "red"}


def test_a_loader_without_variants_is_asked_with_none(tmp_path: Path) -> None:
    head = "\nclass ModelLoader(ForgeModel):\n    @classmethod\n    def _get_model_info(cls, variant_name=None):\n"
    based = "        if variant_name is None:\n            variant_name = 'base'\n"
    ending = _RETURN.format(group="ModelGroup.RED").replace("variant=variant", "variant=variant_name")
    infos = _read(
        tmp_path,
        {"a/pytorch": f"{_HEAD}{head}        {ending}", "b/pytorch": f"{_HEAD}{head}{based}        {ending}"},
    )
    assert infos.known["a/pytorch", None].variant is None
    assert infos.known["a/pytorch", None].name == "pytorch_Net_None_nlp_causal_lm_torch_hub"
    assert infos.known["b/pytorch", None].variant == "base"


def test_the_source_may_be_a_field_of_the_variants_configuration(tmp_path: Path) -> None:
    source = (
        _HEAD
        + """
from dataclasses import dataclass
@dataclass
class NetConfig(ModelConfig):
    source: ModelSource = ModelSource.HUB
class ModelLoader(ForgeModel):
    TINY_CONFIG = NetConfig("x/tiny")
    _VARIANTS = {ModelVariant.TINY: TINY_CONFIG, ModelVariant.BIG: NetConfig("x/big", source=ModelSource.TIMM)}
    @classmethod
    def _get_model_info(cls, variant=None):
        source = cls._VARIANTS[variant].source
        return ModelInfo(model="Net", variant=variant, group=ModelGroup.RED, task=ModelTask.CLS, source=source,
            framework=Framework.TORCH)
"""
    )
    infos = _read(tmp_path, {"a/pytorch": source})
    assert [info.source for info in infos.known.values()] == ["torch_hub", "timm"]


def test_an_adapter_reports_what_it_makes_of_its_base(tmp_path: Path) -> None:
    adapter = """
from ...a.pytorch.loader import ModelLoader as _Base
from ...tools.lora import Mixin
class ModelLoader(Mixin, _Base): ...
"""
    mixin = """
from dataclasses import replace
class Mixin:
    @classmethod
    def _get_model_info(cls, variant=None):
        info = super()._get_model_info(variant)
        return replace(info, model=f"{info.model} LoRA")
"""
    checkout = write_checkout(tmp_path, {}, {})
    (checkout.models / "tools").mkdir()
    (checkout.models / "tools/lora.py").write_text(mixin)
    base = _LOADER.format(body=_RETURN.format(group="ModelGroup.RED"))
    infos = _read(tmp_path, {"a/pytorch": base, "a_lora/pytorch": adapter})
    assert infos.unknown == {}
    assert infos.known["a_lora/pytorch", "Tiny"].name == "pytorch_Net LoRA_Tiny_nlp_causal_lm_torch_hub"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise ValueError(variant)", "raises ValueError at a/pytorch/loader.py:13"),
        ("return cls.describe(variant)", "type object 'ModelLoader' has no attribute 'describe'"),
        ("return None", "_get_model_info returns no ModelInfo"),
        ("pass", "_get_model_info returns no ModelInfo"),
        (_RETURN.format(group="pick_group()"), "name 'pick_group' is not defined"),
        (
            _RETURN.format(group="ModelGroup.GONE"),
            "raises AttributeError at a/pytorch/loader.py:13: type object 'ModelGroup' has no attribute 'GONE'",
        ),
        (_RETURN.format(group="None"), "the group is not a text"),
        (_RETURN.format(group="cls._get_model_info(variant).group"), "nest too deeply"),
    ],
)
def test_what_cannot_be_derived_is_said_and_the_rest_is_known(tmp_path: Path, body: str, reason: str) -> None:
    good = _LOADER.format(body=_RETURN.format(group="ModelGroup.RED"))
    infos = _read(tmp_path, {"a/pytorch": _LOADER.format(body=body), "b/pytorch": good})
    assert set(infos.unknown) == {("a/pytorch", "Tiny"), ("a/pytorch", "org/Big")}
    assert all(reason in one for one in infos.unknown.values())
    assert set(infos.known) == {("b/pytorch", "Tiny"), ("b/pytorch", "org/Big")}


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (_HEAD + "class ModelLoader(ForgeModel): ...", "raises NotImplementedError at base.py:10"),
        ("x = 1", "does not bind ModelLoader"),
        ("from torch import ModelLoader", "not a class of the models tree"),
        (
            _HEAD + "class ModelLoader(ForgeModel):\n    @classmethod\n    def get_model_info(cls, variant=None): ...",
            "get_model_info returns no ModelInfo",
        ),
    ],
)
def test_a_loader_that_is_built_otherwise(tmp_path: Path, source: str, reason: str) -> None:
    infos = _read(tmp_path, {"a/pytorch": source})
    assert infos.known == {}
    assert reason in infos.unknown["a/pytorch", None]


def test_a_variant_the_source_does_not_have(tmp_path: Path) -> None:
    checkout = write_checkout(tmp_path, {"a/pytorch": _LOADER.format(body=_RETURN.format(group="ModelGroup.RED"))}, {})
    (checkout.models / "config.py").write_text(_CONFIG)
    (checkout.models / "base.py").write_text(_BASE)
    infos = read_model_infos(checkout, [Loader("a/pytorch", ("gone",)), Loader("z/pytorch")])
    assert infos.unknown == {
        ("a/pytorch", "gone"): "_VARIANTS has no gone",
        ("z/pytorch", None): "There is no z/pytorch/loader.py",
    }


def test_nothing_of_a_loader_is_executed(tmp_path: Path) -> None:
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    body = f"{trap}        {_RETURN.format(group='ModelGroup.RED')}"
    infos = _read(tmp_path, {"a/pytorch": trap + _LOADER.format(body=body)})
    assert len(infos.known) == 2
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "hostile",
    [
        "while True: pass",
        "class C0: ...\n" + "\n".join(f"class C{n}(C{n - 1}): ..." for n in range(1, 3000)),
        "class Wide(StrEnum):\n" + "\n".join(f"    M{n} = {n}" for n in range(5000)) + "\nALL = list(Wide)",
        "x = 'x' * 10 ** 9\ny = [0] * 10 ** 9\nz = 9 ** 9 ** 9",
        "def deep(n): return deep(n + 1)\nx = deep(0)",
        "x = " + "+".join(["1"] * 3000),
        "for a in range(10 ** 4):\n    for b in range(10 ** 4):\n        c = a + b",
        "X = [" + "1, " * 200_000 + "]",
        "'" + "global " * 200_000 + "'\nx = [nobody for _ in ()]",
        "from .loader import *\nfrom .loader import ModelLoader as Other",
    ],
)
def test_hostile_code_takes_no_longer_and_hides_no_other_loader(tmp_path: Path, hostile: str) -> None:
    good = _LOADER.format(body=_RETURN.format(group="ModelGroup.RED"))
    began = time.process_time()
    infos = _read(tmp_path, {"a/pytorch": f"{good}\n{hostile}\n", "b/pytorch": good})
    assert {("b/pytorch", "Tiny"), ("b/pytorch", "org/Big")} <= set(infos.known)
    assert time.process_time() - began < 20


def test_the_result_can_be_stored(tmp_path: Path) -> None:
    good, bad = (_LOADER.format(body=body) for body in (_RETURN.format(group="ModelGroup.RED"), "pass"))
    infos = _read(tmp_path, {"a/pytorch": good, "b/pytorch": bad})
    assert pickle.loads(pickle.dumps(infos)) == infos


_ASK_LOADERS = """
import importlib, json, sys
sys.path.insert(0, sys.argv[1])
asked = []
for directory in sys.argv[2:]:
    try:
        loader = importlib.import_module(f"tt_forge_models.{directory.replace('/', '.')}.loader").ModelLoader
    except ImportError:
        continue  # one loader of the sample is broken on purpose
    for variant in list(loader.query_available_variants()) or [None]:
        info = loader.get_model_info(variant)
        asked.append([directory, variant and str(variant), info.name, str(info.group)])
print(json.dumps(asked))
"""


@pytest.mark.slow("all loaders of the sample are run")
def test_the_loaders_of_the_sample_report_the_same_when_they_are_run(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    checkout = sample_checkout(tmp_path / "checkout")
    infos = _infos(checkout)
    assert infos.unknown == {}
    directories = sorted({directory for directory, _ in infos.known if directory.endswith("/pytorch")})
    done = run_command(
        [sys.executable, "-B", "-c", _ASK_LOADERS, str(checkout.models.parent), *directories], cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    reported = {(directory, variant): (name, group) for directory, variant, name, group in json.loads(done.stdout)}
    derived = {key: (info.name, info.group) for key, info in infos.known.items() if key in reported}
    assert derived == reported
    assert len({directory for directory, _ in reported}) >= len(directories) - 1


def test_letting_go_in_between_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = index(sample_checkout(tmp_path / "tt-xla"))
    loaders = matrix.loaders.values()
    whole = read_model_infos(matrix.checkout, loaders)
    monkeypatch.setattr("core.sources.loader_program._LOADERS_AT_ONCE", 1)
    assert read_model_infos(matrix.checkout, loaders) == whole
    assert whole.known


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ('{ModelVariant.TINY: ModelConfig(pretrained_model_name="x/tiny")}', {"Tiny": "x/tiny"}),
        ('{ModelVariant.BIG: ModelConfig("x/big")}', {"org/Big": "x/big"}),
        ("{ModelVariant.BIG: ModelConfig(ModelVariant.BIG)}", {"org/Big": "org/Big"}),
        ('{one: ModelConfig(f"x/{one.name.lower()}") for one in ModelVariant}', {"Tiny": "x/tiny", "org/Big": "x/big"}),
        ('{"plain": SHARED}', {"plain": "x/shared"}),
        ('{"plain": Elsewhere(pretrained_model_name="x/of-a-library", more=1)}', {"plain": "x/of-a-library"}),
        ('{"plain": ModelConfig(os.environ["NAME"])}', {}),
        ('{"plain": 1}', {}),
    ],
)
def test_the_checkpoint_of_a_variant(tmp_path: Path, table: str, named: dict[str, str]) -> None:
    head = f'import os\nfrom some_library import Elsewhere\n{_HEAD}SHARED = ModelConfig("x/shared")\n'
    infos = _read(tmp_path, {"a/pytorch": f"{head}class ModelLoader(ForgeModel):\n    _VARIANTS = {table}\n"})
    assert infos.checkpoints == {("a/pytorch", variant): name for variant, name in named.items()}


def test_an_inherited_variant_has_the_checkpoint_of_its_base(tmp_path: Path) -> None:
    child = "from ...a.pytorch.loader import ModelLoader as Base\nclass ModelLoader(Base): ...\n"
    infos = _read(tmp_path, {"a/pytorch": _LOADER.format(body="..."), "b/pytorch": child})
    assert infos.checkpoints["b/pytorch", "Tiny"] == "x/tiny"
