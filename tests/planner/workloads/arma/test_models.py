"""ARMA forecasts: against statsmodels, and against simulation of the fitted process."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import lfilter
from statsmodels.tsa.arima.model import ARIMA
from statsmodels.tsa.arima_process import arma2ma

from planner.workloads.arma.fit import fit_arma, fit_arma_by_statsmodels
from planner.workloads.arma.models import ArmaModel, ArmaOrder, forecast_arma, psi_weights
from tests.planner.imai import worldcup_week
from tests.planner.workloads.arma.orders import CHECKED_ORDERS

coefficients = st.lists(st.floats(-1.5, 1.5), max_size=3)


@given(ar=coefficients, ma=coefficients)
def test_psi_weights_are_those_of_the_moving_average_that_the_model_equals(
    ar: list[float], ma: list[float]
) -> None:
    model = ArmaModel(ArmaOrder(len(ar), len(ma)), 0.0, tuple(ar), tuple(ma), 1.0)
    expected = arma2ma([1.0, *(-phi for phi in ar)], [1.0, *ma], lags=12)
    assert psi_weights(model, 12) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("order", CHECKED_ORDERS)
def test_forecast_variances_are_those_of_the_fitted_process_simulated(order: ArmaOrder) -> None:
    model = fit_arma(worldcup_week()[700:800], order)
    forecast = forecast_arma(model, worldcup_week()[700:800], 12)
    errors = np.random.default_rng(4).standard_normal((100_000, 12)) * np.sqrt(model.innovation_variance)
    # What the process does beyond its expectation: the future errors alone, run through its own recursion.
    paths = lfilter([1.0, *model.ma], [1.0, *(-phi for phi in model.ar)], errors, axis=1)
    assert np.square(forecast.deviations) == pytest.approx(paths.var(axis=0), rel=0.02)


@pytest.mark.parametrize("order", CHECKED_ORDERS)
def test_the_same_parameters_forecast_as_statsmodels_does(order: ArmaOrder) -> None:
    rates = worldcup_week()[300:500]
    model = fit_arma_by_statsmodels(rates, order)
    mean = [model.mean] if order.with_mean else []
    process = ARIMA(rates, order=(order.ar, 0, order.ma), trend="c" if order.with_mean else "n")
    reference = process.smooth([*mean, *model.ar, *model.ma, model.innovation_variance]).get_forecast(12)
    ours = forecast_arma(model, rates, 12)
    assert ours.means == pytest.approx(reference.predicted_mean, rel=1e-3)
    assert ours.deviations == pytest.approx(reference.se_mean, rel=1e-3)
