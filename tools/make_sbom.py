"""Makes the bill of materials of the service from a lock file: CycloneDX 1.6 as JSON, with each package and its hashes.

    python tools/make_sbom.py requirements.lock > sbom.json

It reads files alone. Equal files give equal bytes: there is no time and no random number in it.
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGE = re.compile(
    r"^(?P<name>[A-Za-z0-9._-]+)(?:\[[^\]]*\])?==(?P<version>[^\s;\\]+)\s*(?:;(?P<marker>[^\\]*))?"
)
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


def read_lock(text: str) -> list[dict[str, Any]]:
    """The packages of a lock file as components, each with the hashes of its files and where it is needed."""
    components: list[dict[str, Any]] = []
    for line in text.splitlines():
        if found := PACKAGE.match(line):
            components.append(
                describe_package(found["name"], found["version"], (found["marker"] or "").strip())
            )
        components_hashes = HASH.findall(line)
        if components_hashes and not components:
            raise SystemExit(f"a hash stands before the first package: {line.strip()}")
        for digest in components_hashes:
            # A hash is of one file of the package (a wheel or its source), so each is a reference of its own.
            components[-1]["externalReferences"].append(
                {
                    "type": "distribution",
                    "url": f"https://pypi.org/project/{components[-1]['name']}/{components[-1]['version']}/",
                    "hashes": [{"alg": "SHA-256", "content": digest}],
                }
            )
    return components


def describe_package(name: str, version: str, marker: str) -> dict[str, Any]:
    """A package as a component, with the marker of the machines that need it, such as an older Python."""
    address = f"pkg:pypi/{re.sub(r'[-_.]+', '-', name).lower()}@{version}"
    return {
        "type": "library",
        "bom-ref": address,
        "name": name,
        "version": version,
        "purl": address,
        **({"properties": [{"name": "headgate:marker", "value": marker}]} if marker else {}),
        "externalReferences": [],
    }


def make_sbom(lock: str, project: dict[str, Any]) -> dict[str, Any]:
    """The bill of materials of the project and of all packages of its lock."""
    name, version = project["name"], project["version"]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": f"pkg:pypi/{name}@{version}",
                "name": name,
                "version": version,
                "licenses": [{"license": {"id": project["license"]}}],
            }
        },
        "components": read_lock(lock),
    }


if __name__ == "__main__":
    project_table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock_text = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "requirements.lock").read_text(
        encoding="utf-8"
    )
    json.dump(make_sbom(lock_text, project_table), sys.stdout, indent=1)
    sys.stdout.write("\n")
