"""The bill of materials has every locked package with its version and hashes, and nothing else."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PIN = re.compile(r"([\w.-]+)==([^\s\\;]+)(.*?)(?=^\S|\Z)", re.DOTALL | re.MULTILINE)


def make(lock: str) -> dict[str, Any]:
    command = [sys.executable, "tools/make_sbom.py", lock]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_every_locked_package_is_in_it_with_its_version_and_hashes(lock: str) -> None:
    text = "\n".join(
        line for line in (ROOT / lock).read_text().splitlines() if not line.lstrip().startswith("#")
    )
    pinned = {
        (name, version): set(re.findall(r"sha256:(\w{64})", rest))
        for name, version, rest in PIN.findall(text)
    }
    assert len(pinned) > 50
    assert all(pinned.values()), "each is pinned by hashes"
    listed = {
        (one["name"], one["version"]): {
            digest["content"] for where in one["externalReferences"] for digest in where["hashes"]
        }
        for one in make(lock)["components"]
    }
    assert listed == pinned


def test_it_is_of_this_version_and_licence_and_equal_each_time() -> None:
    found = make("requirements.lock")
    assert (found["bomFormat"], found["specVersion"]) == ("CycloneDX", "1.6")
    component = found["metadata"]["component"]
    assert (component["name"], component["licenses"]) == ("headgate", [{"license": {"id": "Apache-2.0"}}])
    addresses = [one["purl"] for one in found["components"]]
    assert len(set(addresses)) == len(addresses)
    assert "pkg:pypi/prometheus-client" in " ".join(addresses)
    markers = {one["name"]: one.get("properties") for one in found["components"]}
    assert markers["fastapi"] is None
    assert markers["colorama"] == [{"name": "headgate:marker", "value": "sys_platform == 'win32'"}]
    assert make("requirements.lock") == found


def test_the_licence_of_the_project_is_its_file() -> None:
    assert (ROOT / "LICENSE").read_text().lstrip().startswith("Apache License\n")
    assert "END OF TERMS AND CONDITIONS" in (ROOT / "LICENSE").read_text()
