"""Compiled functions: what is kept, when it is compiled anew, and arrays whose users are not counted."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from planner.arrays import Floats
from planner.compiled import borrow, compiled, inlined

HELPER = """
from planner.compiled import inlined
FACTOR = {factor}

@inlined
def scale(value):
    return value * FACTOR {more}
"""
KERNEL = """
from planner.compiled import compiled
from compiled_helper import scale

@compiled
def run(value):
    return scale(value)
"""


def load(name: str, path: Path) -> ModuleType:
    """The module of a file, as a new process would load it."""
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def run_in(folder: Path, *, factor: float, more: str = "") -> tuple[float, int]:
    """What is computed, and how often machine code was found on disk."""
    name = f"helper{factor}{len(more)}.py"  # a new name: Python keeps bytecode by the second
    (folder / name).write_text(HELPER.format(factor=factor, more=more))
    load("compiled_helper", folder / name)
    kernel = load("compiled_kernel", folder / "kernel.py")
    return kernel.run(2.0), sum(kernel.run.stats.cache_hits.values())


def test_machine_code_is_kept_until_a_helper_or_its_constant_changes(tmp_path: Path):
    (tmp_path / "kernel.py").write_text(KERNEL)
    assert run_in(tmp_path, factor=3.0) == (6.0, 0)
    assert run_in(tmp_path, factor=3.0) == (6.0, 1)
    assert run_in(tmp_path, factor=4.0) == (8.0, 0)
    assert run_in(tmp_path, factor=4.0, more="+ 1.0") == (9.0, 0)
    assert run_in(tmp_path, factor=3.0) == (6.0, 1)


def test_machine_code_that_cannot_be_read_is_compiled_anew(tmp_path: Path):
    """As after an update that renamed a class of its arguments."""
    (tmp_path / "kernel.py").write_text(KERNEL)
    assert run_in(tmp_path, factor=3.0) == (6.0, 0)
    for index in (tmp_path / "__pycache__").glob("*.nbi"):
        version, _, _ = index.read_bytes().partition(b".")
        index.write_bytes(index.read_bytes()[: len(version) + 20] + b"cno_module\nNoClass\n.")
    assert run_in(tmp_path, factor=3.0) == (6.0, 0)
    assert run_in(tmp_path, factor=3.0) == (6.0, 1)


def test_a_function_without_a_file_is_compiled_all_the_same():
    """There is no folder that its code could be kept in, as where nothing can be written."""
    room: dict[str, object] = {}
    exec("def double(value):\n    return 2.0 * value", room)
    double = room["double"]
    assert compiled(double)(2.0) == 4.0  # type: ignore[type-var, operator]


@inlined
def add_one(values: Floats, place: int) -> None:
    values[place] += 1.0


@compiled
def count_up(values: Floats) -> float:
    borrowed = borrow(values)
    for place in range(len(borrowed)):
        add_one(borrowed, place)
    return float(borrowed[0])


@pytest.mark.parametrize("size", [1, 1000])
def test_a_borrowed_array_is_the_array_itself(size: int):
    values = np.zeros(size)
    users = sys.getrefcount(values)
    assert count_up(values) == 1.0
    assert values.tolist() == [1.0] * size
    assert sys.getrefcount(values) == users
