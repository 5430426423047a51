# SPDX-License-Identifier: Apache-2.0
"""Models of flax.nnx: forward and backward with their own parameters, and on a mesh, as upstream's testers run them."""

import pytest

from core.runs import Outcome
from core.sources import Checkout
from tests.jax.sessions import repro, session
from tests.support.sample import sample_checkout

pytestmark = [pytest.mark.jax, pytest.mark.timeout(900)]

LOADER = """
import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import PartitionSpec

from ...base import ForgeModel
from ...config import Framework, ModelGroup, ModelInfo, ModelSource, ModelTask


class Configuration:
    text_config = None

    def __init__(self):
        self.meshes = []

    def set_model_mesh(self, mesh):
        self.meshes.append(mesh)


class Net(nnx.Module):
    def __init__(self, dtype):
        rngs = nnx.Rngs(0)
        self.first = nnx.Linear(8, 16, rngs=rngs, dtype=dtype, param_dtype=dtype)
        self.last = nnx.Linear(16, 4, rngs=rngs, dtype=dtype, param_dtype=dtype)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        @CONFIGURATION@

    def __call__(self, tokens, deterministic: bool = True):
        hidden = nnx.gelu(self.first(tokens))
        return self.last(self.drop(hidden, deterministic=True) if deterministic else hidden * 2)


class ModelLoader(ForgeModel):
    @classmethod
    def _get_model_info(cls, variant=None):
        return ModelInfo(
            model="Net", variant=variant, group=ModelGroup.RED, task=ModelTask.CV_IMAGE_CLS,
            source=ModelSource.CUSTOM, framework=Framework.JAX,
        )

    def load_model(self, *, dtype_override=None, **kwargs):
        return Net(dtype_override or jnp.float32)

    def load_inputs(self, dtype_override=None, mesh=None):
        return {"tokens": jnp.ones((4, 8), dtype_override or jnp.float32)}

    def get_input_activations_partition_spec(self, mesh, parallelism=None, axis_name="X"):
        return (PartitionSpec(axis_name),)

    def load_parameters_partition_spec(self, model_for_multichip=None, **kwargs):
        return jax.tree.map(lambda leaf: PartitionSpec(), nnx.split(model_for_multichip)[1])
"""
ALONE = [f"nnx_net/jax-single_device-{mode}" for mode in ("inference", "training")]
SPREAD = "nnx_net/jax-data_parallel-inference"
BARE = "nnx_bare/jax-data_parallel-inference"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    sample = sample_checkout(tmp_path_factory.mktemp("nnx") / "sample")
    for name, configuration in (("nnx_net", "self.config = Configuration()"), ("nnx_bare", "pass")):
        place = sample.models / name / "jax"
        place.mkdir(parents=True)
        (place / "loader.py").write_text(LOADER.replace("@CONFIGURATION@", configuration))
    return sample


def test_on_one_device_and_on_a_mesh(checkout: Checkout) -> None:
    found = session(checkout, 2, *ALONE, SPREAD, BARE)
    passed = {id: (found[id].outcome, found[id].tags.get("pcc")) for id in (*ALONE, SPREAD)}
    assert passed == dict.fromkeys((*ALONE, SPREAD), (Outcome.PASS, 1.0)), found
    assert found[SPREAD].properties["device"] == "CPU, 2 virtual devices"
    # As upstream: a model of nnx gets its mesh, and one that takes none does not run on any.
    assert found[BARE].outcome is Outcome.FAIL
    assert "has no attribute 'config'" in str(found[BARE].tags["failing_reason"])


def test_the_cpu_repro_shows_its_parameters_and_both_dtypes(checkout: Checkout) -> None:
    code, result, output = repro(checkout, "nnx_net/jax", "training")
    assert code == 0, output
    own, other = result["phases"]
    assert [(one["dtype"], one["ok"], one["weights"]) for one in (own, other)] == [
        ("float32", True, {"float32": 4}),
        ("bfloat16", True, {"bfloat16": 4}),
    ]
    assert own["output"]["leaves"][0]["shape"] == [4, 4]
