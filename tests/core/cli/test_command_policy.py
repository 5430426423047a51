# SPDX-License-Identifier: Apache-2.0
"""`policy`: the printed policy is a file with the same meaning."""

from pathlib import Path

from core.evidence.verdicts import Policy
from core.evidence.verdicts.policy import parse_policy
from tests.support.cli import call
from tests.support.tree import sample


def test_it_prints_a_whole_file(tmp_path: Path) -> None:
    root = sample(tmp_path).root
    told = call("policy", "--repo", root)
    assert told.code == 0
    assert told.out.startswith("# Defaults: there is no policy file. Looked for: ttmatrix-policy.toml, ")
    assert parse_policy(told.out, "x") == Policy()
    file = root / ".ttmatrix" / "policy.toml"
    file.parent.mkdir()
    file.write_text(told.out.replace("minimum_runs = 3", "minimum_runs = 5"))
    document = call("policy", "--json", "--repo", root).json
    assert (document["file"], document["policy"]["minimum_runs"]) == (str(file), 5)
    assert document["policy"]["pcc"] == {"margin": 0.004, "highest": 0.99, "lowest": 0.9}
    assert call("policy", "--repo", root).out.startswith(f"# {file}\n")
