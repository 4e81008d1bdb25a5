"""The functions of probability against mpmath, and a module that is loaded late."""

import mpmath
import numpy as np
import pytest

from planner import special


def test_erfc_and_the_normal_distribution_function_keep_twelve_digits_in_both_tails():
    x = np.linspace(-6.0, 25.0, 63)
    with mpmath.workdps(40):
        tails = [float(mpmath.erfc(mpmath.mpf(one))) for one in x]
        wanted = [float(mpmath.ncdf(mpmath.mpf(one))) for one in -x]
    assert special.erfc(x) == pytest.approx(tails, rel=1e-12, abs=1e-300)
    assert special.ndtr(-x) == pytest.approx(wanted, rel=1e-12, abs=1e-300)


def test_a_module_that_loads_late_is_the_module_itself():
    assert special.scipy.sparse.csc_array is not None


def test_a_missing_module_is_named_when_it_is_used():
    with pytest.raises(ModuleNotFoundError, match="nothing_such"):
        _ = special.LateModule("nothing_such").sparse  # type: ignore[attr-defined]
