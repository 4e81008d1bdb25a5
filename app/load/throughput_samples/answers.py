"""The planner's throughput model as JSON."""

from collections.abc import Sequence

from app.load.throughput_samples.schemas import (
    CurvePointAnswer,
    ResidualAnswer,
    ThroughputFitAnswer,
    ThroughputModelAnswer,
)
from planner.arrays import Floats
from planner.vms.throughput import MstModel, MstSample


def to_fit_answer(model: MstModel, peak_vms: int) -> ThroughputFitAnswer:
    """The fit and the numbers of VMs for which it is trusted."""
    return ThroughputFitAnswer(
        form=model.form.name,
        weights=list(model.weights),
        sigma=model.sigma,
        samples=len(model.residuals),
        fewest_vms=model.fewest_vms,
        most_vms=model.most_vms,
        peak_vms=peak_vms,
    )


def to_model_answer(
    model: MstModel, samples: Sequence[MstSample], fitted: Floats, curve: Floats
) -> ThroughputModelAnswer:
    """The fit, each sample beside it, and the curve up to its peak."""
    return ThroughputModelAnswer(
        model=to_fit_answer(model, len(curve)),
        residuals=[
            ResidualAnswer(vms=one.vms, throughput=one.throughput, fitted=float(at), residual=residual)
            for one, at, residual in zip(samples, fitted, model.residuals, strict=True)
        ],
        curve=[
            CurvePointAnswer(
                vms=m, throughput=float(at), measured_between=model.fewest_vms <= m <= model.most_vms
            )
            for m, at in enumerate(curve, 1)
        ],
    )
