"""Simulations from files, without a server or a database; checks and answers equal those of the service."""

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from app.jobs.simulations.gathering import describe_job
from app.jobs.simulations.schemas import SimulationAnswer, SimulationRequest
from app.jobs.workers.simulation_run import run_simulation
from app.terminal.commands import Refused, compute_answer, say
from app.terminal.files import check_body, open_documents
from app.terminal.options import read_counts, read_levels
from app.terminal.outputs import write_model
from app.terminal.tables import Column, Columns, print_lines, print_table
from planner.simulation.simulate import warm_up
from planner.wording import UNBOUNDED, write_number, write_percent, write_seconds, write_signed_percent

WITHOUT_PARAMETERS = ("poisson", "deterministic")
SAY_AFTER_SECONDS = 3.0


class SimulationFiles(NamedTuple):
    """The paths of the inputs of a simulation; `arrivals` may also be the name of a law without parameters."""

    topology: Path
    load: Path
    arrivals: str | None
    services: Path | None


def run_files(files: SimulationFiles, given: Mapping[str, Any], most_events: int) -> SimulationAnswer:
    """Simulates the topology in a file under the load in a file."""
    inputs = dict(given) | {
        "topology": files.topology,
        "load": files.load,
        "processors": read_counts("--processors", given["processors"]),
        "capacities": read_counts("--capacities", given["capacities"]) or {},
        "quantiles": read_levels(given["quantiles"]),
    }
    if files.arrivals is not None:
        inputs["arrivals"] = _read_arrivals(files.arrivals)
    if files.services is not None:
        inputs["services"] = files.services
    documents = open_documents(inputs)
    body = check_body(SimulationRequest, documents)
    job = compute_answer(lambda: describe_job(body, most_events), documents)
    with telling_of_compilation():
        warm_up()
    return compute_answer(lambda: run_simulation(job), documents)


@contextmanager
def telling_of_compilation() -> Iterator[None]:
    """Prints a message if the simulator is compiled for longer than a moment."""
    teller = threading.Timer(
        SAY_AFTER_SECONDS,
        say,
        ["compiling the simulator; this takes up to a minute, once after an installation ..."],
    )
    teller.daemon = True
    teller.start()
    try:
        yield
    finally:
        teller.cancel()


def _read_arrivals(given: str) -> dict[str, str] | Path:
    """Returns the law of arrivals with this name, or the path of the file that holds a law."""
    if given in WITHOUT_PARAMETERS:
        return {"kind": given}
    if not Path(given).is_file() and given != "-":
        raise Refused(
            f"--arrivals {given}: write {' or '.join(WITHOUT_PARAMETERS)}, or name a file with an object such as "
            '{"kind": "mmpp", "burst_ratio": 3, "burst_share": 0.1, "mean_burst_seconds": 5}'
        )
    return Path(given)


def print_answer(answer: SimulationAnswer, output: str) -> None:
    """Prints a simulation as tables for people, or as the service answers, in the form that --output names."""
    if output != "table":
        write_model(answer, output, "operators")
        return
    print_lines(_summarise(answer))
    _print_operators(answer)
    print_lines(f"note: {said.detail}" for said in answer.diagnostics)


def _summarise(answer: SimulationAnswer) -> Iterator[str]:
    yield (
        f"simulated {answer.roots:,} roots in {write_seconds(answer.seconds)} ({answer.events:,} events, "
        f"{write_seconds(answer.simulated_seconds)} of the stream, seed {answer.seed}); the first "
        f"{answer.warm_up_roots:,} are not "
        "measured"
    )
    for name, time in (("total", answer.total), ("completion", answer.completion)):
        mean = _with_width(time.mean_seconds, time.half_width_seconds)
        yield f"{name}: mean {mean}" + _list_quantiles(
            [(one.quantile, one.seconds) for one in time.quantiles]
        )
        if time.modelled_mean_seconds is not None:
            quantiles = [(one.quantile, one.modelled_seconds) for one in time.quantiles]
            error = "" if time.model_error is None else f" ({write_signed_percent(time.model_error)})"
            yield (
                f"    {answer.model} says {write_seconds(time.modelled_mean_seconds)}{error}"
                + _list_quantiles(quantiles)
            )
    if answer.total.modelled_mean_seconds is None:
        yield f"    {answer.model} says: unbounded"


def _list_quantiles(listed: Iterable[tuple[float, float | None]]) -> str:
    known = [(level, seconds) for level, seconds in listed if seconds is not None]
    return "".join(
        f", {write_number(100 * level, digits=6)}% within {write_seconds(seconds)}"
        for level, seconds in known
    )


COLUMNS: Columns = [
    *("operator", "processors", Column("queueing", is_text=True), "busy", "visits"),
    *("simulated wait", "modelled wait", "difference"),
]


def _print_operators(answer: SimulationAnswer) -> None:
    blocks = any(one.blocked_share for one in answer.operators)
    rows = []
    for one in answer.operators:
        row = [
            one.name,
            str(one.processors),
            one.queueing,
            write_percent(one.utilisation),
            write_number(one.visits),
            _with_width(one.wait_seconds, one.half_width_seconds),
            write_seconds(one.modelled_wait_seconds, UNBOUNDED),
            "" if one.model_error is None else write_signed_percent(one.model_error),
        ]
        rows.append(row + ([write_percent(one.blocked_share)] if blocks else []))
    print_table([*COLUMNS, "blocked"] if blocks else COLUMNS, rows)


def _with_width(seconds: float | None, half_width: float | None) -> str:
    if seconds is None:
        return "no visits"
    return write_seconds(seconds) + ("" if half_width is None else f" ± {write_seconds(half_width)}")
