# SPDX-License-Identifier: Apache-2.0
"""Packages that a loader imports when it is collected, before its own requirements are installed (docs/rules.md 6)."""

from collections.abc import Iterator
from pathlib import Path

from core.base.files import is_there
from core.doctor.check import Check
from core.doctor.drift import plain_name, required_in, runtime_requirements
from core.domain.model import Finding
from core.matrix import Matrix
from core.matrix.cache import Cache, content_cache, of_loaders
from core.python import ModuleFacts
from core.sources import Checkout, ModelsTree, NeededPackage, files_below, loader_file, needed_packages

EARLY_IMPORT = Check("early-import", "a package that a loader imports before its requirements are installed")
UNNAMED_PACKAGE = Check("unnamed-package", "a package that a loader imports and that no requirements name")

_IMPORTED_AS = {
    "attrs": "attr",
    "beautifulsoup4": "bs4",
    "dmtree": "tree",
    "gitpython": "git",
    "opencvcontribpython": "cv2",
    "opencvpython": "cv2",
    "opencvpythonheadless": "cv2",
    "patool": "patoolib",
    "pillow": "pil",
    "protobuf": "google",
    "pythonbox": "box",
    "pythondateutil": "dateutil",
    "pyyaml": "yaml",
    "scikitimage": "skimage",
    "scikitlearn": "sklearn",
    "yolov6detect": "yolov6",
}
"""Packages that are imported by another name, by their plain names."""
_BROUGHT = """
absl attr certifi charset_normalizer dateutil dill filelock fsspec google huggingface_hub idna jinja2 markupsafe mpmath
multiprocess networkx numpy packaging pandas pkg_resources protobuf pyarrow pytz pyyaml regex requests safetensors
scipy setuptools six sympy tokenizers tqdm typing_extensions urllib3 xxhash yaml
"""
"""Packages that torch, jax, transformers, datasets and their like bring with them."""
_BROUGHT_BY = {
    "black": "click mypy_extensions pathspec platformdirs",
    "diffusers": "pil",
    "flagembedding": "accelerate cloudpickle ir_datasets joblib lxml lz4 narwhals sentence_transformers sklearn",
    "flax": "aiofiles chex etils humanize markdown_it msgpack optax orbax pygments rich tensorstore treescope",
    "jax": "jaxlib ml_dtypes opt_einsum",
    "librosa": "audioread cffi decorator joblib lazy_loader llvmlite msgpack numba pooch sklearn soundfile soxr",
    "matplotlib": "contourpy cycler fonttools kiwisolver mpl_toolkits pil pylab pyparsing",
    "opencliptorch": "ftfy wcwidth",
    "peft": "accelerate psutil",
    "pytest": "iniconfig pluggy pygments _pytest",
    "qwenvlutils": "av",
    "scikitimage": "imageio lazy_loader pil tifffile",
    "suryaocr": "bs4 cv2 dotenv filetype openai pil pydantic pydantic_settings pypdfium2",
    "timm": "pil torchvision",
    "torch": "functorch torchgen triton",
    "torchvision": "pil",
    "torchxrayvision": "imageio skimage",
    "transformers": "anyio click httpcore httpx markdown_it pygments rich typer",
    "yolov5": "boto3 botocore cv2 filetype fire git markdown matplotlib pil polars psutil requests_toolbelt roboflow"
    " sahi seaborn shapely tensorboard termcolor thop ultralytics",
    "yolov6detect": "addict cv2 tensorboard thop",
}
"""What else some of the packages bring that tt-xla has required, by their plain names."""
_OF_THE_RUNTIME = "jaxlib pjrtplugintt torch torch_xla tracy ttnn"
"""Packages of the device's plugin."""
_OWN = ("", "python_package", "third_party")
"""Directories of a checkout whose packages its tests can import."""


def package_findings(cache: Cache, matrix: Matrix) -> Iterator[Finding]:
    """One finding for each file that needs a package which is there too late, or perhaps never."""
    required = runtime_requirements(matrix.checkout)
    if not required:
        return
    present = _present(required)
    late = _installed_later(matrix) - present
    told: set[tuple[str, str]] = set()
    for directory, packages in of_loaders(
        cache, matrix, "needed_packages", dict, lambda: _needed(cache, matrix)
    ).items():
        for one in packages:
            name = plain_name(one.name)
            if name in present or (one.path, one.name) in told or _is_own(matrix.checkout, one.name):
                continue
            told.add((one.path, one.name))
            check, why = (EARLY_IMPORT, _LATE) if name in late else (UNNAMED_PACKAGE, _UNNAMED)
            message = f"Importing {loader_file(directory)} needs {one.name}, {why}"
            path = matrix.checkout.relative(matrix.checkout.models / one.path)
            yield Finding(check.kind, message, path, one.line, id=directory)


_LATE = (
    "which is installed from requirements only when a test of it runs: its tests are then not collected."
    " Import it in the function that uses it"
)
_UNNAMED = (
    "which no file of requirements names: where it is missing, its tests are not collected."
    " Name it in a requirements.txt beside the loader, and import it in the function that uses it"
)


def _present(required: frozenset[str]) -> frozenset[str]:
    """The packages that are there before any test is collected, by the plain form of the names they are imported by."""
    names = " ".join((_BROUGHT, _OF_THE_RUNTIME, *(_BROUGHT_BY.get(name, "") for name in required))).split()
    imported = (_IMPORTED_AS.get(name, name) for name in required)
    return required.union(imported, map(plain_name, names))


def _is_own(checkout: Checkout, name: str) -> bool:
    return any(is_there(checkout.root / above / name) for above in _OWN)


def _needed(cache: Cache, matrix: Matrix) -> dict[str, tuple[NeededPackage, ...]]:
    with content_cache(cache, "outlines", matrix.checkout.models, ModuleFacts) as cached:
        tree = ModelsTree(matrix.checkout.models, cached=cached)
        return needed_packages(tree, matrix.loaders.values())


def _installed_later(matrix: Matrix) -> frozenset[str]:
    """The packages in requirements of the models, by the plain form of the names they are imported by."""
    found: set[str] = set()
    for path in requirement_files(matrix):
        if not path.name.startswith("system-"):
            found |= {_IMPORTED_AS.get(name, name) for name in required_in(path)}
    return frozenset(found)


def requirement_files(matrix: Matrix) -> list[Path]:
    """All files of requirements in the models tree, whether they are read or not."""
    names = (Path(one) for one in files_below(matrix.checkout.models, ".txt"))
    return sorted(path for path in names if path.suffix == ".txt" and "requirement" in path.name)
