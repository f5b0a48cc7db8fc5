"""The one importer of numba: compiler flags and the on-disk cache."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

# Never "nnan" or "ninf": infinity means "no centre yet" all over the kernels.
FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile `function` on first call: no GIL, no threads, cached on disk."""
    compiled: Function = njit(nogil=True, cache=True, fastmath=FASTMATH, error_model="numpy")(
        function
    )
    return compiled


def helper(function: Function) -> Function:
    """Compile `function` for use within kernels only: no wrapper, no cache entry of its own.

    Each wrapper would add to the first fit on a machine.
    """
    compiled: Function = njit(
        nogil=True,
        fastmath=FASTMATH,
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
    )(function)
    return compiled
