"""Compiles functions to machine code, which is kept on disk where the package or the user's cache can be written."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

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
