# SPDX-License-Identifier: Apache-2.0
"""The answers of a checkout's own code, from a separate process: python upstream.py CHECKOUT RESULT

Independent of ttmatrix. The real pytest collects the checkout's runner, with everything outside
the tree and the standard library (torch, jax, transformers and their like) replaced by stand-ins.
"""

import importlib
import importlib.util
import json
import os
import sys
from abc import ABCMeta
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import _pytest.mark
import psutil  # noqa: F401
import pytest
import ruamel.yaml  # noqa: F401

_RUNNER = "tests/runner/test_models.py"
_CONFTEST = "tests/runner/conftest.py"
_REAL = frozenset({"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "ruamel", "yaml", "psutil"})
_NAMESPACES = frozenset({"tests", "third_party", "tt_forge_models"})


# Stand-ins


class _Any(ABCMeta):
    """The type of stand-ins: classes, so that they can be base classes, decorators, annotations and values."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_: Any) -> Any:
        return super().__new__(mcs, name, bases, namespace)

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **_: Any) -> None:
        super().__init__(name, bases, namespace)

    def __getattr__(cls, name: str) -> Any:
        if name == "__version__":
            return "99.0"
        # A loader that inherits from a stand-in must not get attributes that only the runner asks for.
        if name.startswith("__") or (name.startswith("_") and "_stand_in" not in vars(cls)):
            raise AttributeError(name)
        return _stand_in(name)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if "_stand_in" not in vars(cls):
            return super().__call__(*args, **kwargs)
        # As a decorator it returns the decorated object unchanged.
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else _stand_in(cls.__name__)

    def __iter__(cls) -> Iterator[Any]:
        return iter(())

    def __getitem__(cls, _: Any) -> Any:
        return _stand_in(cls.__name__)

    def __len__(cls) -> int:
        return 0

    def __bool__(cls) -> bool:
        return True

    def __contains__(cls, _: Any) -> bool:
        return False

    def __enter__(cls) -> Any:
        return cls

    def __exit__(cls, *_: Any) -> None:
        return None

    def _value(cls, *_: Any) -> Any:
        return _stand_in(cls.__name__)

    def register(cls, *_: Any, **__: Any) -> Any:
        return _stand_in("register")

    def _yes(cls, _: Any) -> bool:
        return True

    __lt__ = __le__ = __gt__ = __ge__ = _yes
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _value
    __neg__ = __pow__ = __rpow__ = __floordiv__ = __mod__ = __and__ = __invert__ = _value


def _stand_in(name: str) -> Any:
    return _Any(name, (), {"_stand_in": True, "__init__": _take_anything})


def _take_anything(self: object, *_: Any, **__: Any) -> None:
    """The `__init__` of a class of the tree that inherits from a stand-in."""


class _Module(ModuleType):
    """A module that has every name."""

    __path__: MutableSequence[str] = []  # noqa: RUF012  So that it counts as a package.

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "99.0"
        if name.startswith("__"):
            raise AttributeError(name)
        value = _stand_in(name)
        setattr(self, name, value)
        return value


class _Finder:
    """Finds a stand-in for every module that is neither real nor of the checkout."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in _REAL or self._in_tree(top):
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def _in_tree(self, top: str) -> bool:
        if top in sys.modules:
            return not isinstance(sys.modules[top], _Module)
        spec = PathFinder.find_spec(top)
        if spec is None:
            return False
        if spec.origin is None:
            # A directory without __init__.py yields to a package of its name: `tests/jax` is not jax.
            return top in _NAMESPACES
        return spec.origin.startswith(self._root)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = _Module(spec.name)
        if spec.name == "loguru":
            # The runner uses it to report the loaders that it could not import.
            module.logger.warning = staticmethod(_tell)
        return module

    def exec_module(self, module: ModuleType) -> None:
        return None


def _tell(message: str) -> None:
    print(message, file=sys.stderr)


# Questions


class _Recorder:
    """A pytest plugin that records what was collected, before the checkout's own hook changes it."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.marked: list[tuple[list[Any], dict[str, Any]]] = []
        """The markers of each item and the names of all items, before the hook adds its own."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        self.items = list(items)
        self.marked = [(list(item.own_markers), dict(item.keywords._markers)) for item in items]


def _collected(root: Path) -> dict[str, Any]:
    """Every item; for each arch its markers as numbers of marker sets (-1: deselected); what jobs select; infos."""
    recorder = _Recorder()
    arguments = ["--collect-only", "-qqq", "-p", "no:cacheprovider", "-p", "no:terminalreporter", "-W", "ignore"]
    code = pytest.main([*arguments, _RUNNER], plugins=[recorder])
    if not recorder.items:
        raise RuntimeError(f"pytest collects nothing and ends with {int(code)}")
    conftest = next(one for one in list(sys.modules.values()) if vars(one).get("__file__") == f"{root}/{_CONFTEST}")
    sets: dict[frozenset[str], int] = {}
    numbers = {id(item): number for number, item in enumerate(recorder.items)}
    jobs, markers, selected = _jobs(root), {}, {}
    for arch in ("", *_archs(conftest)):
        for item, (own, keywords) in zip(recorder.items, recorder.marked, strict=True):
            item.own_markers[:], item.keywords._markers = own, dict(keywords)
        kept = list(recorder.items)
        hook = SimpleNamespace(pytest_deselected=lambda items: None)
        config = SimpleNamespace(getoption=lambda name, one=arch: one or None if name == "--arch" else None, hook=hook)
        conftest.pytest_collection_modifyitems(config, kept)
        codes = {id(item): sets.setdefault(_names(item), len(sets)) for item in kept}
        markers[arch] = [codes.get(id(item), -1) for item in recorder.items]
        for name, job in jobs.items():
            if (job["runs-on"] if job.get("forge-models") is True else "") == arch:
                selected[name] = [numbers[id(item)] for item in _selected(job, kept, codes)]
    return {
        "items": [f"{item.originalname}[{item.callspec.id}]" for item in recorder.items],
        "sets": [sorted(one) for one in sets],
        "markers": markers,
        "selected": selected,
        "infos": _infos(recorder.items),
    }


def _selected(job: dict[str, Any], items: Sequence[Any], codes: dict[int, int]) -> list[Any]:
    """The `items` that pytest's own deselection keeps; they have the markers of the job's arch."""
    functions = {item.originalname for item in items}
    covered = {name for name in functions for path in job["dir"].split() if _covers(path, name)}
    if not covered:
        return []
    chosen = [item for item in items if item.originalname in covered]
    # Items with the same markers are treated alike by -m, so one of each is checked.
    alike = {codes[id(item)]: item for item in chosen}
    config = items[0].config
    config.option.markexpr, config.option.keyword = job.get("test-mark", ""), job.get("contains", "")
    asked = list(alike.values())
    _pytest.mark.deselect_by_mark(asked, config)
    left = {codes[id(item)] for item in asked}
    chosen = [item for item in chosen if codes[id(item)] in left]
    _pytest.mark.deselect_by_keyword(chosen, config)
    return chosen


def _covers(path: str, function: str) -> bool:
    where, _, name = os.path.normpath(path).partition("::")
    inside = where == "." or where == _RUNNER or _RUNNER.startswith(f"{where}/")
    return inside and name in ("", function)


def _archs(conftest: Any) -> list[str]:
    """The archs that the runner's conftest accepts."""
    options: dict[str, Any] = {}
    conftest.pytest_addoption(SimpleNamespace(addoption=lambda name, **rest: options.update({name: rest})))
    return sorted(options["--arch"]["choices"])


def _names(item: Any) -> frozenset[str]:
    return frozenset(mark.name for mark in item.iter_markers())


def _infos(items: Sequence[Any]) -> dict[str, list[str]]:
    """Name and group that each model reports, by one of its ids."""
    models: dict[tuple[str, str], tuple[str, Any]] = {}
    for item in items:
        entry = item.callspec.params.get("test_entry") or item.callspec.params.get("test_entry_and_phase", (None,))[0]
        if entry is not None:
            models.setdefault((entry.path, str(entry.variant_info[0])), (item.callspec.id, entry.variant_info))
    infos = {}
    for id, (variant, loader) in models.values():
        info = loader.get_model_info(variant=variant)
        infos[id] = [info.name, str(info.group)]
    return infos


def _validated(root: Path) -> list[str]:
    """The ids that the checkout's validator considers tests."""
    validator = importlib.import_module("tests.runner.validate_test_config").TestConfigValidator(root)
    return sorted(validator._generate_test_ids(*validator._discover_models()[:-1]))


def _jobs(root: Path) -> dict[str, dict[str, Any]]:
    """The objects of every preset as the checkout's own generator reads them, by file and place."""
    script = root / ".github/scripts/generate_test_matrix.py"
    spec = importlib.util.spec_from_file_location("generate_test_matrix", script)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    presets = sorted((root / ".github/workflows/test-matrix-presets").glob("*.json"))
    return {
        f"{path.name} {number}": job
        for path in presets
        for number, job in enumerate(module.read_preset_test_entries(str(path)))
    }


def main() -> None:
    """Answer all questions that can be answered, and give the reasons for the others."""
    root, result = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    os.chdir(root)
    sys.path[:0] = [str(root), str(root / "tests")]
    sys.meta_path.insert(0, _Finder(root))
    questions: dict[str, Callable[[], Any]] = {
        "validator": lambda: _validated(root),
        "collected": lambda: _collected(root),
    }
    answers: dict[str, Any] = {}
    for name, ask in questions.items():
        try:
            answers[name] = ask()
        except Exception as error:  # noqa: BLE001  Whatever upstream's code does is an answer.
            answers[name] = {"failed": f"{type(error).__name__}: {error}"}
    result.write_text(json.dumps(answers))


if __name__ == "__main__":
    main()
