"""The plot of `headgate backtest --plot`: every policy is in it, and the same backtest gives the same bytes."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from app.jobs.backtests.answers import draw_backtest
from app.rendering.picture_files import save_picture
from planner.vms.backtest import Backtest, BacktestSetup
from planner.vms.throughput import MstSample
from tests.app.backtest_examples import SMALL


@pytest.fixture
def backtest() -> Backtest:
    samples = tuple(MstSample(one["vms"], one["throughput"]) for one in SMALL["mst_samples"])
    rates = tuple(point["rate"] for point in SMALL["workload"])
    trained = tuple(sorted({sample.vms for sample in samples}))
    return Backtest(BacktestSetup("a week", "grep", rates, samples, trained, scale_peak=None))


def test_two_plots_of_one_backtest_are_equal_and_name_every_policy(backtest: Backtest, tmp_path: Path):
    for name in ("a.svg", "b.svg"):
        save_picture(draw_backtest(backtest, ("0", "1"), 0), tmp_path / name)
    drawn = (tmp_path / "a.svg").read_bytes()
    assert drawn == (tmp_path / "b.svg").read_bytes()
    words = [one.text for one in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    for word in (
        "grep on a week, seed 0",
        "throughput, 0",
        "throughput, 1",
        "ground-truth",
        "static-peak",
        "hours",
    ):
        assert word in words


def test_another_seed_draws_other_throughputs(backtest: Backtest, tmp_path: Path):
    for seed in (0, 1):
        save_picture(draw_backtest(backtest, ("0",), seed), tmp_path / f"{seed}.png")
    assert (tmp_path / "0.png").read_bytes() != (tmp_path / "1.png").read_bytes()


def test_a_plot_may_be_a_pdf(backtest: Backtest, tmp_path: Path):
    save_picture(draw_backtest(backtest, ("0",), 0), tmp_path / "a.pdf")
    drawn = (tmp_path / "a.pdf").read_bytes()
    assert drawn.startswith(b"%PDF-")
    assert b"/Type /Page\n" in drawn
