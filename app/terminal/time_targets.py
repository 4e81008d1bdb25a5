"""Options for a target of a quantile or of completion, in place of E[T]."""

from typing import Annotated, Any

import typer

TargetQuantileOption = Annotated[
    float | None,
    typer.Option("--target-quantile", help="0.99: --t-max is for p99 of --target-of, not for E[T]."),
]
TargetOfOption = Annotated[
    str | None,
    typer.Option(
        "--target-of", help="completion (default with --target-quantile) or total; alone: its mean."
    ),
]


def fold_target(terms: dict[str, Any]) -> dict[str, Any]:
    """The terms of a request, with `target` in place of t_max_seconds where one of the two options is given."""
    from app.terminal.refusals import Refused

    others = dict(terms)
    quantile, of = others.pop("target_quantile", None), others.pop("target_of", None)
    if quantile is None and of is None:
        return others
    seconds = others.pop("t_max_seconds", None)
    if seconds is None:
        raise Refused("--target-quantile and --target-of need --t-max: within how many seconds?")
    return others | {"target": {"of": of or "completion", "quantile": quantile, "seconds": seconds}}
