# SPDX-License-Identifier: Apache-2.0
"""Of which loaders of a checkout the ops can be recorded here: PYTHON tests/bench/op_loaders.py CHECKOUT DIRECTORY

Run it with the interpreter of the models. One variant of each PyTorch loader, without any download, each in a fork
of a process that has loaded what many import. With --untrained, models have random weights instead of those that
are downloaded (torch hub, timm, models of transformers whose configuration is known without a file), and inputs have
noise instead of pictures. Manifests go to DIRECTORY, to be run afterwards.
"""

import argparse
import contextlib
import importlib
import io
import json
import os
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "core/payload"))
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", PYTORCH_JIT="0")
os.environ.update({name: "http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "HTTPS_PROXY")})

import torch

_SHARED = ("torchvision", "transformers", "timm", "datasets", "diffusers", "cv2", "PIL.Image")
"""Packages that many loaders import: imported here, or else every fork would do so."""
_RESULT = "TTMATRIX-OPS "
_SHOWN = 110
_LAYERS = 2
"""Layers of a transformers model: each calls the same ops."""


class _NoWeights(dict[str, Any]):
    """Replaces a file of weights."""


class _Pictures:
    """Replaces a data set: any request returns one picture, or a text."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str) and key in ("image", "img", "images", "jpg"):
            return _picture()
        if isinstance(key, str) and key in ("text", "sentence", "question", "context"):
            return "The quick brown fox jumps over the lazy dog."
        return self

    def __iter__(self) -> Any:
        return iter([self])

    def __len__(self) -> int:
        return 1

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: self


def _picture() -> Any:
    numpy, image = importlib.import_module("numpy"), importlib.import_module("PIL.Image")
    return image.fromarray(numpy.random.default_rng(0).integers(0, 256, (480, 640, 3), dtype="uint8"))


def _without_training() -> None:
    """From now on use random weights and pictures instead of downloading."""
    load = torch.nn.Module.load_state_dict

    def load_state_dict(self: Any, state: Any, *args: Any, **named: Any) -> Any:
        return None if isinstance(state, _NoWeights) else load(self, state, *args, **named)

    torch.nn.Module.load_state_dict = load_state_dict  # type: ignore[method-assign, assignment]
    torch.hub.load_state_dict_from_url = lambda *_, **__: _NoWeights()
    for name, change in (("timm.models._builder", _timm), ("transformers", _transformers), ("requests", _requests)):
        with contextlib.suppress(ImportError):
            change(importlib.import_module(name))
    with contextlib.suppress(ImportError):
        datasets: Any = importlib.import_module("datasets")
        datasets.load_dataset = lambda *_, **__: _Pictures()


def _timm(builder: Any) -> None:
    builder.load_pretrained = lambda *_, **__: None


def _requests(requests: Any) -> None:
    def get(url: str, *_: Any, **__: Any) -> Any:
        if not re.search(r"\.(jpe?g|png)\b|image|photo|coco|picsum", url, re.IGNORECASE):
            raise requests.ConnectionError(f"no network: {url}")
        bytes_ = io.BytesIO()
        _picture().save(bytes_, "PNG")
        answer = requests.Response()
        answer.status_code, answer.raw = 200, io.BytesIO(bytes_.getvalue())
        return answer

    requests.get = requests.Session.get = get


def _transformers(transformers: Any) -> None:
    made = transformers.PreTrainedModel
    auto = importlib.import_module("transformers.models.auto.auto_factory")._BaseAutoModelClass
    configurations = importlib.import_module("transformers.models.auto.configuration_auto")

    def smaller(config: Any) -> Any:
        for one in (config, *(getattr(config, name, None) for name in ("text_config", "vision_config"))):
            for name in ("num_hidden_layers", "num_layers", "n_layer", "encoder_layers", "decoder_layers"):
                if isinstance(getattr(one, name, None), int):
                    with contextlib.suppress(Exception):
                        setattr(one, name, min(_LAYERS, getattr(one, name)))
            if isinstance(kinds := getattr(one, "layer_types", None), list):
                one.layer_types = kinds[:_LAYERS]
        return config

    def named(name: str) -> Any:
        plain = re.sub(r"[^a-z0-9]", "", str(name).lower())
        kinds = [one for one in configurations.CONFIG_MAPPING_NAMES if re.sub(r"[^a-z0-9]", "", one) in plain]
        if not kinds:
            raise OSError(f"no configuration without a download: {name}")
        return configurations.CONFIG_MAPPING[max(kinds, key=len)]()

    def of_class(cls: Any, /, *_: Any, config: Any = None, **options: Any) -> Any:
        return _typed(cls(smaller(config or cls.config_class())), options)

    def of_name(cls: Any, name: str, /, *_: Any, config: Any = None, **options: Any) -> Any:
        return _typed(cls.from_config(smaller(config or named(name))), options)

    made.from_pretrained, auto.from_pretrained = classmethod(of_class), classmethod(of_name)
    transformers.AutoConfig.from_pretrained = classmethod(lambda cls, name, **_: smaller(named(name)))
    transformers.PreTrainedConfig.from_pretrained = classmethod(lambda cls, *_, **__: smaller(cls()))


def _typed(model: Any, options: dict[str, Any]) -> Any:
    dtype = options.get("dtype", options.get("torch_dtype"))
    model = model.to(dtype) if isinstance(dtype, torch.dtype) else model
    return model.eval()


def _variant(checkout: Path, loader: str) -> str | None:
    from ttmatrix_payload.models.loader import import_loader

    own = sys.path[:]
    try:
        names = [str(getattr(key, "value", key)) for key in import_loader(checkout, loader).ModelLoader._VARIANTS]
    finally:
        # The import of a loader removes our directory from the path.
        sys.path[:] = own
    return names[0] if names else None


def _record(checkout: Path, loader: str, output: Path, seconds: int) -> int:
    """In a fork: do what `ttmatrix ops extract` does in its child."""
    import ops_extract
    from ttmatrix_payload.extract.crashes import Calls

    variant = None
    with contextlib.suppress(AttributeError):
        variant = _variant(checkout, loader)
    argv = ["--checkout", str(checkout), "--loader", loader, "--output", str(output), "--within", str(seconds)]
    return int(ops_extract.main([*argv, *(["--variant", variant] if variant else [])], Calls()))


def _forked(work: Callable[[], int], log: Path, seconds: int) -> str:
    """How a fork that writes to `log` ended; empty: by itself."""
    if (pid := os.fork()) == 0:
        code = 1
        try:
            with log.open("wb") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            os.setsid()
            signal.alarm(seconds)
            code = work()
        except BaseException as error:  # noqa: BLE001 - any failure of a loader is an answer
            os.write(1, f"\n{_RESULT}{json.dumps({'problem': f'{type(error).__name__}: {error}'})}\n".encode())
        finally:
            os._exit(code)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    return f"no end within {seconds} s" if status == -signal.SIGALRM else f"died: {status}" if status < 0 else ""


def _outcome(log: Path, ended: str) -> dict[str, Any]:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.startswith(_RESULT)]
    return json.loads(lines[-1].removeprefix(_RESULT)) if lines else {"problem": ended or "it said nothing"}


def main(argv: Sequence[str]) -> int:
    """Record all loaders; print a line for each success, and the reasons of the failures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("checkout", type=lambda text: Path(text).resolve())
    parser.add_argument("directory", type=lambda text: Path(text).resolve())
    parser.add_argument("--only", default="", help="loaders whose directory holds one of these, between commas")
    parser.add_argument("--untrained", action="store_true", help="random weights and pictures instead of downloads")
    parser.add_argument("--seconds", type=int, default=90, help="the longest for one model")
    args = parser.parse_args(argv)
    args.directory.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    if args.untrained:
        _without_training()
    for name in _SHARED:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    models = args.checkout / "third_party/tt_forge_models"
    loaders = sorted(str(one.parent.relative_to(models)) for one in models.rglob("pytorch/loader.py"))
    loaders = [one for one in loaders if any(part in one for part in args.only.split(","))]
    reasons: Counter[str] = Counter()
    recorded = cut = 0
    for loader in loaders:
        output, begin = args.directory / f"{loader.replace('/', '_')}.yaml", time.perf_counter()
        log = output.with_suffix(".log")
        work = partial(_record, args.checkout, loader, output, args.seconds)
        ended = _forked(work, log, 2 * args.seconds)
        found = _outcome(log, ended)
        if "problem" in found:
            reasons[found["problem"][:_SHOWN]] += 1
            continue
        recorded, cut = recorded + 1, cut + bool(found["failure"])
        left = f"  left out {sum(found['left_out'].values())}" if found["left_out"] else ""
        until = f"  until {found['failure'][:_SHOWN]}" if found["failure"] else ""
        seconds = time.perf_counter() - begin
        print(
            f"{loader:50} {found['cases']:5} cases {found['calls']:6} calls {seconds:6.1f} s{left}{until}", flush=True
        )
    print(f"\n{recorded} of {len(loaders)} recorded, {cut} of them in part. Not recorded:")
    for reason, count in reasons.most_common():
        print(f"{count:5}  {reason}")
    return 0 if recorded else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
