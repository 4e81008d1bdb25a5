"""`headgate gate` passes or fails a deployment: exit code 0 pass, 1 capacity short, 2 no verdict."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from app.terminal.commands import CalibrateOption, ModelOption
from app.terminal.options import (
    FleetOption,
    LabelOption,
    TargetOfOption,
    TargetQuantileOption,
    fold_target,
    read_rate,
    take_time,
)
from planner.values import DEFAULT_MODEL

if TYPE_CHECKING:
    from app.planning.gates.offline import JudgedGate
    from app.planning.gates.schemas import GateAnswer

LARGEST_LIKELY_FACTOR = 100.0
SHORT = 1
COULD_NOT_JUDGE = 2


TopologyArgument = Annotated[
    Path | None, typer.Argument(metavar="TOPOLOGY", help="Topology, JSON or YAML; - reads standard input.")
]
TopologyOption = Annotated[Path | None, typer.Option("--topology", help="The topology, as an option.")]
LoadOption = Annotated[Path | None, typer.Option("--load", help="JSON or YAML.")]
RateOption = Annotated[
    str | None, typer.Option("--rate", help="480 (tuples/s) or 1.5x (times the rate of the load).")
]
LowerOption = Annotated[bool, typer.Option("--allow-lower", help="Allow a rate below the rate of the load.")]
TMaxOption = Annotated[
    float | None,
    take_time("--t-max", "--t-max-seconds", help_text="The largest E[T] allowed, such as 200ms."),
]
KMaxOption = Annotated[int | None, typer.Option("--k-max", help="The most processors allowed.")]
ProcessorsOption = Annotated[
    list[str] | None,
    typer.Option(
        help="operator=count, repeatable, or a JSON or YAML file of them; left out: the running ones in the load, "
        "or the best split of --k-max if they are unknown."
    ),
]
JunitOption = Annotated[Path | None, typer.Option("--junit", help="Write a JUnit report here.")]
GateOutput = Annotated[
    Literal["table", "json", "yaml", "csv", "markdown", "github"],
    typer.Option("--output", help="github: annotations of a workflow."),
]
SummaryOption = Annotated[
    Path | None,
    typer.Option(
        "--summary",
        envvar="GITHUB_STEP_SUMMARY",
        help="With --output github: append a Markdown summary here.",
    ),
]
ReportOption = Annotated[
    Path | None,
    typer.Option("--report", help="Write a report for a ticket or an artefact here: .html, else Markdown."),
]
UrlOption = Annotated[str | None, typer.Option("--url", help="Ask the service at this address.")]
StoredOption = Annotated[
    str | None,
    typer.Option("--stored", help="With --url: a topology stored in the service, with its measured load."),
]
MaxAgeOption = Annotated[
    float | None,
    take_time(
        "--max-age",
        "--max-snapshot-age-seconds",
        help_text="With --stored: the largest age of measurements, such as 15m; left out: as the topology's policy "
        "states, else 15m.",
    ),
]
ApiKeyOption = Annotated[str | None, typer.Option("--api-key", envvar="HEADGATE_API_KEY", help="With --url.")]
OfflineOption = Annotated[bool, typer.Option("--offline", help="Use only the files (the default).")]


class GateReports(NamedTuple):
    """Where and how a verdict is written: the form of standard output, and three files."""

    output: str
    summary: Path | None
    junit: Path | None
    page: Path | None


class GateSource(NamedTuple):
    """What a gate judges: files (here, or by the service at `url`), or a topology stored in that service."""

    files: Sequence[Path | None]
    load: Path | None
    url: str | None
    stored: str | None
    max_age: float | None
    api_key: str | None
    offline: bool
    fleet: bool
    label: str | None


def gate(
    file: TopologyArgument = None,
    *,
    topology: TopologyOption = None,
    load: LoadOption = None,
    rate: RateOption = None,
    allow_lower: LowerOption = False,
    t_max: TMaxOption = None,
    target_quantile: TargetQuantileOption = None,
    target_of: TargetOfOption = None,
    k_max: KMaxOption = None,
    processors: ProcessorsOption = None,
    model: ModelOption = DEFAULT_MODEL,
    calibrate: CalibrateOption = True,
    junit: JunitOption = None,
    output: GateOutput = "table",
    summary: SummaryOption = None,
    report: ReportOption = None,
    url: UrlOption = None,
    stored: StoredOption = None,
    max_age: MaxAgeOption = None,
    api_key: ApiKeyOption = None,
    offline: OfflineOption = False,
    fleet: FleetOption = False,
    label: LabelOption = None,
) -> None:
    """Pass or fail a deployment: exit code 0 pass, 1 capacity short, 2 no verdict."""
    source = GateSource((file, topology), load, url, stored, max_age, api_key, offline, fleet, label)
    reports = GateReports(output, summary, junit, report)
    limits = _join_limits(t_max, target_quantile, target_of, k_max)
    try:
        terms = _read_terms(rate, processors, limits | {"model": model, "calibrate": calibrate})
        code = _gate(source, terms, reports, None if allow_lower else rate)
    except ModuleNotFoundError:
        raise  # app.cli says what to install
    except Exception as error:
        # Python would end with 1, which a job reads as "capacity short".
        raise _fail(_describe(error), reports) from error
    raise typer.Exit(code)


def _gate(source: GateSource, terms: dict[str, Any], reports: GateReports, rate: str | None) -> int:
    """Judges and reports; returns the exit code. A `rate` below the measured one is refused."""
    if source.fleet:
        from app.terminal.fleet_command import gate_new_job

        return gate_new_job(source, terms, source.label, reports.output)
    judged = _judge(source, terms)
    _refuse_lower(judged.answer, rate)
    _report(judged, reports)
    return 0 if judged.answer.passed else SHORT


def _describe(error: Exception) -> str:
    """Returns the text of a refusal; the text of an unexpected error begins with the error's type."""
    from app.terminal.commands import Refused

    return str(error) if isinstance(error, Refused) else f"unexpected {type(error).__name__}: {error}"


def _judge(source: GateSource, terms: dict[str, Any]) -> "JudgedGate":
    from app.planning.gates import offline
    from app.terminal.commands import Refused

    given, load, url = [path for path in source.files if path is not None], source.load, source.url
    if url and source.offline:
        raise Refused("--url and --offline contradict each other: give one of them")
    if source.stored is not None:
        if url is None or given or load:
            raise Refused("--stored NAME needs --url and takes no files: the service has the topology")
        age = {} if source.max_age is None else {"max_snapshot_age_seconds": source.max_age}
        return offline.judge_stored_at(url, source.api_key, source.stored, terms | age)
    if source.max_age is not None:
        raise Refused("--max-age needs --stored: the age of a load file cannot be checked")
    if len(given) != 1 or load is None:
        raise Refused("give one topology file and --load FILE, as in: headgate gate t.yaml --load l.yaml")
    if url:
        return offline.judge_files_at(url, source.api_key, given[0], load, terms)
    return offline.judge_files(given[0], load, terms)


def _join_limits(
    t_max: float | None, quantile: float | None, of: str | None, k_max: int | None
) -> dict[str, Any]:
    return {"t_max_seconds": t_max, "target_quantile": quantile, "target_of": of, "k_max": k_max}


def _read_terms(rate: str | None, processors: list[str] | None, limits: dict[str, Any]) -> dict[str, Any]:
    """Turns the options of the command into fields of the request; an option that is left out gives no field."""
    from app.terminal.options import read_counts

    terms = fold_target({name: value for name, value in limits.items() if value is not None})
    if rate is not None:
        terms |= read_rate(rate)
    if processors:
        terms["processors"] = read_counts("--processors", processors)
    return terms


def _refuse_lower(answer: "GateAnswer", rate: str | None) -> None:
    """Refuses a rate below the measured rate without --allow-lower: most such rates are factors that lack the x."""
    from app.terminal.commands import Refused

    if answer.external_rate == 0 and "rate_factor" in read_rate(rate or "1"):
        raise Refused(
            f"--rate {rate}: the rate to judge at is 0, because the measured rate or the factor is 0; give a rate"
        )
    lower = [said.detail for said in answer.diagnostics if said.code == "rate-below-measured"]
    if rate is None or not lower:
        return
    read = read_rate(rate)
    given = read.get("external_rate", 0.0)
    meant = f"{given:g}x" if 1 < given < LARGEST_LIKELY_FACTOR else "1.5x"
    factor = f"if {meant[:-1]} times the measured rate was meant, write --rate {meant}; "
    raise Refused(
        f"--rate {rate} is below the measured rate ({lower[0].partition(':')[0].lower()}): "
        f"{'' if 'rate_factor' in read else factor}if the lower rate is meant, add --allow-lower"
    )


def _report(judged: "JudgedGate", reports: GateReports) -> None:
    """Writes the verdict. If the reader leaves early, as `head` does, the exit code stays that of the verdict."""
    from app.planning import gate_reports
    from app.planning.gate_reports import describe_gate
    from app.rendering.reports import write_html, write_markdown

    answer = judged.answer
    if reports.junit:
        _write(reports.junit, gate_reports.render_junit(answer))
    if reports.page:
        blocks = describe_gate(answer, judged.find_topology())
        is_html = reports.page.suffix.lower() in {".html", ".htm"}
        _write(reports.page, write_html(blocks) if is_html else write_markdown(blocks))
    try:
        _print(answer, reports)
        sys.stdout.flush()
    except SystemExit as ended:
        if ended.code:
            raise


def _print(answer: "GateAnswer", reports: GateReports) -> None:
    from app.planning import gate_reports
    from app.planning.gates.offline import print_verdict
    from app.terminal.outputs import write_model

    if reports.output == "github":
        sys.stdout.write(gate_reports.render_annotations(answer))
        if reports.summary:
            _write(reports.summary, gate_reports.render_markdown(answer), mode="a")
    elif reports.output == "table":
        print_verdict(answer)
    else:
        write_model(answer, reports.output, "checks")


def _write(path: Path, text: str, mode: str = "w") -> None:
    from app.terminal.commands import Refused

    try:
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Refused(f"{path}: cannot be written: {error.strerror}") from error


def _fail(why: str, reports: GateReports) -> typer.Exit:
    """Writes why there is no verdict to standard error and to every report for programs; returns the exit."""
    from app.planning import gate_reports

    typer.echo(f"headgate: {why}", err=True)
    if reports.output == "github":
        sys.stdout.write(gate_reports.render_problem_annotation(why))
    if reports.junit:
        try:
            reports.junit.write_text(gate_reports.render_junit_problem(why), encoding="utf-8")
        except OSError as error:
            if (also := f"{reports.junit}: cannot be written: {error.strerror}") != why:
                typer.echo(f"headgate: {also}", err=True)
    return typer.Exit(COULD_NOT_JUDGE)
