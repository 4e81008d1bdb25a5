"""Runs every benchmark of this folder, or those named: `python -m benchmarks min_latency plan_route`."""

import sys
from importlib import import_module
from pathlib import Path

import tests

# A package that the benchmarks need (ciw) installs its own tests as `tests`, which hide ours.
tests.__path__ = [str(Path(__file__).parents[1] / "tests")]


def find_benchmarks() -> list[str]:
    """The names of the benchmarks, which are the modules of this folder, in alphabetical order."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("_"))


def main(names: list[str]) -> None:
    there = find_benchmarks()
    if unknown := sorted(set(names) - set(there)):
        sys.exit(f"There is no benchmark {', '.join(unknown)}; there are: {', '.join(there)}.")
    for name in names or there:
        module = import_module(f"benchmarks.{name}")
        if hasattr(module, "main"):  # the others are what benchmarks share
            print(f"\n== {name} ==", flush=True)
            module.main()


if __name__ == "__main__":
    main(sys.argv[1:])
