"""Reads options that several commands take: durations, factors, counts, quantiles, and targets other than E[T]."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from app.terminal.commands import Refused
from planner.wording import write_seconds

SECONDS = {"ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
NUMBER = r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
MOST_SECONDS = 1e15
# A number, and behind it x for a factor or % for a share.
RATE = re.compile(r"([0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?)\s*([xX×%]?)")


def read_duration(option: str, text: str, least: float = 0.0, most: float = 86_400.0) -> float:
    """Returns the seconds of an option's time such as 15s; a number without a unit is in seconds."""
    found = re.fullmatch(NUMBER + r"((?:e[-+]?[0-9]+)?)\s*(ms|s|m|h|d|w|)", text.strip().lower())
    if found is None or (found[2] and found[3]):
        raise Refused(f"{option} {text}: write a time such as 200ms, 0.2, 15s, 5m or 1h")
    seconds = float(found[1] + found[2]) * SECONDS[found[3]]
    if not least <= seconds <= most:
        limit = "" if most == MOST_SECONDS else f", at most {write_seconds(most)}"
        raise Refused(f"{option} {text}: give at least {write_seconds(least)}{limit}")
    return seconds


def take_time(*flags: str, help_text: str, least: float = 0.0, most: float = MOST_SECONDS) -> Any:
    """Makes an option for a time such as 200ms, 0.2 or 5m; the command gets the time in seconds."""

    def parse(given: str | float) -> float:
        try:
            return read_duration(flags[0], str(given), least, most)
        except Refused as refused:
            raise typer.BadParameter(str(refused).partition(": ")[2]) from refused

    return typer.Option(*flags, parser=parse, metavar="TIME", help=help_text)


WorkloadFile = Annotated[
    Path, typer.Option("--workload", help="CSV or TSV with a header: time, rate; oldest first.")
]
MstFile = Annotated[Path, typer.Option("--mst", help="CSV or TSV with a header: app (optional), m, samples.")]
AppOption = Annotated[str | None, typer.Option("--app", help="Only this application of --mst.")]
MaxVms = Annotated[int | None, typer.Option("--max-vms", help="The largest number of VMs; default 128.")]
StepSeconds = Annotated[
    float | None,
    take_time(
        "--step-seconds",
        help_text="The time of a step of the workload, such as 1m; default: the median distance of its times.",
        least=1e-3,
    ),
]
IntervalSteps = Annotated[
    int | None, typer.Option("--interval-steps", help="Steps between two decisions; default 10.")
]
BillingSeconds = Annotated[
    float | None,
    take_time(
        "--billing-seconds",
        help_text="A VM is paid for this long at once, such as 1h; default: by the second.",
        least=1e-3,
    ),
]
VmSizes = Annotated[
    Path | None,
    typer.Option("--vm-sizes", help="A list of name, slots, hourly_price; a slot is a VM of --mst."),
]
StartupSteps = Annotated[
    int | None, typer.Option("--startup-steps", help="Steps that a VM takes to start; default 2.")
]
"""Absent options are left out of the body, which has the same defaults over HTTP."""


def read_factor(option: str, text: str, least: float, most: float) -> float:
    """Returns the factor of an option such as 2x; the x may be left out."""
    found = re.fullmatch(NUMBER + r"\s*x?", text.strip().lower())
    if found is None:
        raise Refused(f"{option} {text}: write a factor such as 2x")
    factor = float(found[1])
    if not least <= factor <= most:
        raise Refused(f"{option} {text}: give from {least:g}x to {most:g}x")
    return factor


def read_counts(option: str, given: Sequence[str] | None) -> dict[str, Any] | None:
    """Joins the counts from every use of an option such as `--processors a=3`; None if the option is not used."""
    counts: dict[str, Any] = {}
    for one in given or []:
        counts |= _read_pairs(option, one) or _read_file(option, one)
    return counts or None


def _read_pairs(option: str, text: str) -> dict[str, int]:
    """Returns the counts by name of `a=3,b=4`, or of one name that has a comma; empty for any other text."""
    for parts in (text.split(","), [text]):
        pairs = [part.rpartition("=") for part in parts]
        if all(name.strip() and count.strip().isdecimal() for name, _, count in pairs):
            counts = {name.strip(): int(count) for name, _, count in pairs}
            if len(counts) < len(pairs):
                raise Refused(f"{option} {text}: an operator stands twice: keep one of its counts")
            return counts
    return {}


def _read_file(option: str, text: str) -> dict[str, Any]:
    from app.terminal.files import read_document

    document = read_document(Path(text)) if Path(text).is_file() else None
    if not isinstance(document, dict):
        raise Refused(
            f"{option} {text}: write operator=count, e.g. detector=13,reporter=3, or name a file of such pairs"
        )
    return document


def read_levels(given: str | None) -> list[float] | None:
    """Returns the numbers of the option --quantiles; None if the option is not used."""
    if given is None:
        return None
    try:
        return [float(level) for level in given.split(",")]
    except ValueError as error:
        raise Refused(
            f"--quantiles {given}: write numbers with commas between them, e.g. 0.5,0.95,0.99"
        ) from error


FleetOption = Annotated[
    bool,
    typer.Option(
        "--fleet", help="With --url: is there room for this job beside all stored ones, in --k-max?"
    ),
]
LabelOption = Annotated[
    str | None, typer.Option("--label", help="Of a fleet: only topologies with this label.")
]
TargetQuantileOption = Annotated[
    float | None,
    typer.Option(
        "--target-quantile",
        help="0.99 makes --t-max the limit for p99 of the time that --target-of names, instead of for E[T].",
    ),
]
TargetOfOption = Annotated[
    str | None,
    typer.Option(
        "--target-of",
        help="completion (default with --target-quantile) or total; without --target-quantile, its mean.",
    ),
]


def fold_target(terms: dict[str, Any]) -> dict[str, Any]:
    """Replaces t_max_seconds in a request by `target`, if --target-quantile or --target-of is used."""
    others = dict(terms)
    quantile, of = others.pop("target_quantile", None), others.pop("target_of", None)
    if quantile is None and of is None:
        return others
    seconds = others.pop("t_max_seconds", None)
    if seconds is None:
        raise Refused("--target-quantile and --target-of need a limit: add --t-max.")
    return others | {"target": {"of": of or "completion", "quantile": quantile, "seconds": seconds}}


def read_rate(rate: str) -> dict[str, float]:
    """Returns the field of a request for an external rate, 480, or for a factor of the measured one, 1.5x."""
    found = RATE.fullmatch(rate.strip())
    if found is None:
        raise Refused(f"--rate {rate}: write tuples per second, as 480, or a factor, as 1.5x")
    number, unit = float(found[1]), found[2]
    if unit == "%":
        raise Refused(
            f"--rate {rate}: percentages are not accepted; write --rate {number / 100:g}x for {number:g}% of the "
            f"measured rate, --rate {1 + number / 100:g}x for {number:g}% more than it"
        )
    return {"rate_factor" if unit else "external_rate": number}
