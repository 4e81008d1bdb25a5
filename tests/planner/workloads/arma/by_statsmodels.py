"""The reference of our fits: the Kalman filter of statsmodels, which is slow."""

import warnings

import numpy as np
from statsmodels.tsa.arima.model import ARIMA

from planner.arrays import Floats
from planner.workloads.arma.models import ArmaModel, ArmaOrder


def fit_arma_by_statsmodels(rates: Floats, order: ArmaOrder, start: ArmaModel | None = None) -> ArmaModel:
    """Returns the ARMA model of the given order with the highest likelihood that statsmodels finds; `start` is not
    used.
    """
    del start
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # it warns of poor starting values
        fit = ARIMA(
            np.asarray(rates, dtype=float),
            order=(order.ar, 0, order.ma),
            trend="c" if order.with_mean else "n",
        ).fit()
    mean = float(fit.params[0]) if order.with_mean else 0.0
    ar, ma = tuple(map(float, fit.arparams)), tuple(map(float, fit.maparams))
    return ArmaModel(order, mean, ar, ma, float(fit.params[-1]), float(fit.aic))
