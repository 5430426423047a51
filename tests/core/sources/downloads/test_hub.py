# SPDX-License-Identifier: Apache-2.0
"""What a loader names on the hub: its own checkpoint, and what calls name; no other variant's, and no path."""

import pytest

from core.sources.downloads import HubName
from tests.core.sources.downloads.conftest import Fetch

LOADER = """\
from enum import Enum
class Names(Enum):
    BIG = "Big_2"
    SMALL = "Small"
class ModelLoader:
    _VARIANTS = {
        Names.BIG: Config(pretrained_model_name="org/Some-Big-2"),
        Names.SMALL: Config(pretrained_model_name="small_custom"),
    }
    def load_model(self):
        return AutoModel.from_pretrained(self._variant_config.pretrained_model_name)
    def load_inputs(self):
        self.processor = Processor.from_pretrained("org/Some-Processor")
        again = Processor.from_pretrained("org/Some-Processor")
        local = Other.from_pretrained("./weights/of/model")
        return load_dataset("mnist/images", split="test")
"""
CALLED = (HubName("model", "org/Some-Processor"), HubName("dataset", "mnist/images"))


@pytest.mark.parametrize(
    ("variant", "wanted"),
    [("Big_2", (HubName("model", "org/Some-Big-2"), *CALLED)), ("Small", CALLED), ("", CALLED)],
)
def test_the_checkpoint_of_the_variant_comes_first(fetch: Fetch, variant: str, wanted: tuple[HubName, ...]) -> None:
    assert fetch(LOADER, variant).hub == wanted


def test_links_are_pages_of_the_hub() -> None:
    assert [one.link for one in CALLED] == [
        "https://huggingface.co/org/Some-Processor",
        "https://huggingface.co/datasets/mnist/images",
    ]


@pytest.mark.parametrize(
    "source",
    ["x = 1", 'from_pretrained("a/b"', LOADER.replace("from_pretrained", "other").replace("load_dataset", "load")],
)
def test_who_asks_no_hub_names_nothing(fetch: Fetch, source: str) -> None:
    assert fetch(source, "Big_2").hub == ()


def test_a_data_set_alone_makes_no_checkpoint(fetch: Fetch) -> None:
    assert fetch(LOADER.replace("from_pretrained", "other"), "Big_2").hub == (HubName("dataset", "mnist/images"),)


def test_who_says_to_be_from_the_hub_fetches_its_checkpoint(fetch: Fetch) -> None:
    without = LOADER.replace("from_pretrained", "other").replace("load_dataset", "load")
    found = fetch(without + "SOURCE = ModelSource.HUGGING_FACE", "Big_2")
    assert found.hub == (HubName("model", "org/Some-Big-2"),)


OLD = """
gpt2 gpt2-xl albert-base-v2 albert-xxlarge-v1 bert-base-uncased t5-small t5-11b roberta-base distilgpt2 openai-gpt
bert-large-cased-whole-word-masking-finetuned-squad distilbert-base-uncased-finetuned-sst-2-english camembert-base
distilroberta-base xlm-roberta-large xlnet-base-cased
"""


@pytest.mark.parametrize("name", OLD.split())
def test_old_models_of_the_hub_have_no_owner(fetch: Fetch, name: str) -> None:
    found = fetch(LOADER.replace("org/Some-Big-2", name), "Big_2").hub
    assert found == (HubName("model", name), *CALLED)
    assert found[0].link == f"https://huggingface.co/{name}"


@pytest.mark.parametrize(
    "name", ["resnet50", "vit_b_16", "base", "gpt2_custom", "t5", "bert", "mobilenetv2_100.ra_in1k"]
)
def test_other_names_without_an_owner_are_no_repositories(fetch: Fetch, name: str) -> None:
    assert fetch(LOADER.replace("org/Some-Big-2", name), "Big_2").hub == CALLED


@pytest.mark.parametrize(
    ("path", "wanted"),
    [("mnist", True), ("wiki_qa", True), ("csv", False), ("json", False), ("imagefolder", False), ("./data", False)],
)
def test_datasets_without_an_owner_are_not_formats_of_files(fetch: Fetch, path: str, wanted: bool) -> None:
    found = fetch(f"class ModelLoader:\n    def load_inputs(self):\n        load_dataset({path!r})")
    assert found.hub == ((HubName("dataset", path),) if wanted else ())
