"""Compiles functions to machine code, and hashes keys in compiled code.

The machine code is kept on disk if the folder of the package or the user's cache is writable.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.caching import FunctionCache
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic

Array = TypeVar("Array")
Function = TypeVar("Function", bound=Callable[..., Any])


class CodeCache(FunctionCache):
    """A disk cache of machine code, valid while the function, the functions it calls and their constants are unchanged.

    numba's own cache checks only the file of the function, and would run old code after a called function has changed.
    """

    def __init__(self, function: FunctionType) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self.parts = sha256(b"".join(list_parts(function))).hexdigest()

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The stored machine code; None if there is none, or if it cannot be read, for example after a class was
        renamed.
        """
        try:
            return super().load_overload(signature, context)  # type: ignore[no-untyped-call]
        except Exception:  # noqa: BLE001  # unpickling raises anything
            self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, signature: Any, data: Any) -> None:
        """Writes the machine code to disk; if the disk is full, the next process compiles again."""
        with suppress(OSError):
            super().save_overload(signature, data)  # type: ignore[no-untyped-call]

    def _index_key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        return (*super()._index_key(signature, codegen), self.parts)  # type: ignore[no-untyped-call]


def list_parts(function: FunctionType) -> Iterator[bytes]:
    """The code and the constants of a function and of all compiled functions that it calls."""
    code = function.__code__
    yield code.co_code + repr(code.co_consts).encode()
    for name in code.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, Dispatcher):
            yield from list_parts(value.py_func)
        elif isinstance(value, int | float):
            yield f"{name} {value!r}".encode()


def compiled(function: Function) -> Function:
    """A function that is compiled at its first call, which takes a second unless its machine code is on disk."""
    found = numba.njit(function)
    with suppress(RuntimeError):  # no folder for the code can be written
        found._cache = CodeCache(cast("FunctionType", function))  # noqa: SLF001  # as Dispatcher.enable_caching does
    return cast("Function", found)


def inlined(function: Function) -> Function:
    """A function that is inlined into its callers: a call with arrays costs more than most of these functions."""
    return cast("Function", numba.njit(inline="always")(function))


def make_borrow() -> Callable[[Array], Array]:
    """Makes a function for compiled code that returns an array without reference counts; the caller keeps it alive.

    Compiled code counts references to every array at every step, by atomic operations. In a loop over small records
    this takes forty times as long as the work itself.
    """

    def borrow(_typing: Any, array: types.Array) -> tuple[Any, Callable[..., Any]]:
        return array(array), drop_owner

    return cast("Callable[[Array], Array]", intrinsic(borrow))


def drop_owner(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Generates the machine code of `borrow`: the array's struct with null as its owner, so that numba does not count
    it.
    """
    view = context.make_array(signature.return_type)(context, builder, arguments[0])
    view.meminfo = cgutils.get_null_value(view.meminfo.type)  # type: ignore[no-untyped-call]
    view.parent = cgutils.get_null_value(view.parent.type)  # type: ignore[no-untyped-call]
    return view._getvalue()  # noqa: SLF001  # numba's own way to make a value of a struct


borrow = make_borrow()


@inlined
def hash_key(root: int, station: int) -> float:
    """A number from 0 to 1 that a root's key has at a station, by the finaliser of splitmix64 (Steele, Lea and Flood
    2014).
    """
    mixed = np.uint64(root) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(station + 1) * np.uint64(
        0xD1B54A32D192ED03
    )
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed = mixed ^ (mixed >> np.uint64(31))
    return float(mixed >> np.uint64(11)) / 9007199254740992.0
