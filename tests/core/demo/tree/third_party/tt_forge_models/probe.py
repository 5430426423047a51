# SPDX-License-Identifier: Apache-2.0
"""Run models of the checkout in the current directory and print as JSON what happened; runs in its own process.

With a loader directory as argument it runs just that one in bfloat16, and says so before forward.
"""

import importlib
import inspect
import json
import resource
import sys
import warnings
from pathlib import Path
from typing import Any

MODELS = Path("third_party/tt_forge_models")
MODES = ("inference", "training")
# Leaves the process, or never comes back: these are run alone.
ALONE = ("voxel_scatter/pytorch", "equilibrium_net/pytorch")

sys.dont_write_bytecode = True
warnings.simplefilter("ignore")
sys.path.insert(0, str(Path.cwd()))
torch: Any = importlib.import_module("torch")
torch.set_num_threads(1)


def call(model: Any, inputs: Any) -> Any:
    if isinstance(inputs, dict):
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, list) else model(inputs)


def run(make_loader: Any, mode: str, dtype: Any, say: Any = None) -> dict[str, Any]:
    """One model in one mode and dtype: the step it failed in and the error, or its output."""
    step = "load"
    try:
        loader = make_loader()
        model = loader.load_model(dtype_override=dtype).train(mode == "training")
        takes_batch = "batch_size" in inspect.signature(loader.load_inputs).parameters
        batch = {"batch_size": 2} if mode == "training" and takes_batch else {}
        inputs = loader.load_inputs(dtype_override=dtype, **batch)
        step = "forward"
        if say:
            print(step, flush=True)
        with torch.set_grad_enabled(mode == "training"):
            output = call(model, inputs)
        if mode == "training":
            step = "unpack"
            output = loader.unpack_forward_output(output)
            step = "backward"
            output.backward(gradient=torch.ones_like(output))
            if all(parameter.grad is None for parameter in model.parameters()):
                raise AssertionError("no gradients")
    except Exception as error:  # noqa: BLE001 - what a model raises is what is looked for
        return {"step": step, "error": f"{type(error).__name__}: {error}"}
    return {"step": "done", "error": "", "output": output.detach() if isinstance(output, torch.Tensor) else None}


def pcc(one: Any, other: Any) -> float | None:
    if one is None or other is None:
        return None
    return float(torch.corrcoef(torch.stack([one.flatten().double(), other.flatten().double()]))[0, 1])


def cells(loader_class: Any, variant: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for mode in MODES:
        low, full = (run(lambda: loader_class(variant), mode, dtype) for dtype in (torch.bfloat16, torch.float32))
        agreement = pcc(low.pop("output", None), full.pop("output", None))
        found[mode] = {"bfloat16": low, "float32": full, "pcc": agreement}
    return found


def llm_shapes(module: Any) -> dict[str, list[int]]:
    loader = module.ModelLoader()
    decode = call(loader.load_model(dtype_override=torch.bfloat16), loader.load_inputs_decode(torch.bfloat16, 1))
    prefill = module.ModelLoaderPrefill()
    inputs = prefill.load_inputs_prefill(dtype_override=torch.bfloat16, batch_size=4, seq_len=1024)
    long = call(prefill.load_model(dtype_override=torch.bfloat16), inputs)
    spec = prefill.load_shard_spec(prefill.load_model(), strategy="fsdp", batch_axis="batch")
    return {"decode": list(decode.logits.shape), "prefill": list(long.logits.shape), "sharded": [len(spec)]}


def describe(directory: str) -> dict[str, Any]:
    """What importing a loader offers, and what its models do."""
    name = ".".join(("third_party.tt_forge_models", *directory.split("/"), "loader"))
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        return {"import_error": str(error)}
    base = importlib.import_module("third_party.tt_forge_models.base")
    offered = list(module.ModelLoader.query_available_variants()) or [None]
    prefill: list[Any] = [
        one
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, base.ForgePrefillModel) and one.__module__ == name
    ]
    infos = [module.ModelLoader.get_model_info(variant) for variant in offered]
    facts: dict[str, Any] = {
        "variants": [None if variant is None else str(variant) for variant in offered],
        "prefill": [str(variant) for cls in prefill for variant in cls.query_available_variants()],
        "decode": hasattr(module.ModelLoader, "load_inputs_decode"),
        "names": [info.name for info in infos],
        "groups": [str(info.group) for info in infos],
    }
    if directory not in ALONE:
        facts["cells"] = {str(variant): cells(module.ModelLoader, variant) for variant in offered}
    if prefill:
        facts["llm"] = llm_shapes(module)
    return facts


def main() -> None:
    if len(sys.argv) > 1:
        name = ".".join(("third_party.tt_forge_models", *sys.argv[1].split("/"), "loader"))
        module = importlib.import_module(name)
        # An abort would leave a core file in the checkout.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        print(run(module.ModelLoader, "inference", torch.bfloat16, say=True))
        return
    found = sorted(path.parent.relative_to(MODELS).as_posix() for path in MODELS.rglob("loader.py"))
    print(json.dumps({directory: describe(directory) for directory in found}))


if __name__ == "__main__":
    main()
