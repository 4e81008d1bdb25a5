"""Compiles functions to machine code, which is kept on disk where the package or the user's cache can be written."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import cgutils, types
from numba.extending import intrinsic

Array = TypeVar("Array")
Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """The function compiled at its first call, which takes a second where its code is not kept yet."""
    try:
        return cast("Function", numba.njit(cache=True)(function))
    except RuntimeError:  # no folder for the code can be written
        return cast("Function", numba.njit(function))


def inlined(function: Function) -> Function:
    """The function as a part of those that call it: a call that passes arrays costs more than most functions do."""
    return cast("Function", numba.njit(inline="always")(function))


def make_borrow() -> Callable[[Array], Array]:
    """A function for compiled code: the same array without a count of its users; the caller keeps it alive.

    Compiled code counts the users of every array at every step, by operations that other threads could see. In a loop
    over small records this takes forty times as long as the work.
    """

    def borrow(_typing: Any, array: types.Array) -> tuple[Any, Callable[..., Any]]:
        return array(array), forget_users

    return cast("Callable[[Array], Array]", intrinsic(borrow))


def forget_users(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The machine code of it: the array's struct with null for its owners, which numba leaves alone."""
    view = context.make_array(signature.return_type)(context, builder, arguments[0])
    view.meminfo = cgutils.get_null_value(view.meminfo.type)  # type: ignore[no-untyped-call]
    view.parent = cgutils.get_null_value(view.parent.type)  # type: ignore[no-untyped-call]
    return view._getvalue()  # noqa: SLF001  # numba's own way to make a value of a struct


borrow = make_borrow()
