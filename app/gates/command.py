"""`headgate gate`: exit code 0 pass, 1 capacity short, 2 could not judge."""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from app.gates.schemas import GateAnswer

# A plain number; what stands behind it makes it a factor or a share.
RATE = re.compile(r"([0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?)\s*([xX×%]?)")
LARGEST_LIKELY_FACTOR = 100.0
SHORT = 1
COULD_NOT_JUDGE = 2


def gate(
    file: Annotated[
        Path | None, typer.Argument(metavar="[TOPOLOGY]", help="JSON or YAML; - reads standard input.")
    ] = None,
    *,
    topology: Annotated[Path | None, typer.Option("--topology", help="The same, as an option.")] = None,
    load: Annotated[Path | None, typer.Option("--load", help="JSON or YAML.")] = None,
    rate: Annotated[
        str | None, typer.Option("--rate", help="480 (tuples/s) or 1.5x (times the load's own).")
    ] = None,
    allow_lower: Annotated[
        bool, typer.Option("--allow-lower", help="Judge also at a rate below the load's own.")
    ] = False,
    t_max: Annotated[
        float | None, typer.Option("--t-max", "--t-max-seconds", help="E[T] not to exceed, seconds.")
    ] = None,
    k_max: Annotated[int | None, typer.Option("--k-max", help="Processors not to exceed.")] = None,
    processors: Annotated[
        list[str] | None,
        typer.Option(
            help="operator=count, again for each, or a JSON or YAML file of them; left out: as the load "
            "says, and where it does not, the best split of --k-max."
        ),
    ] = None,
    model: Annotated[str, typer.Option("--model", help="mmk, ggk or ggk-whitt.")] = "ggk-whitt",
    junit: Annotated[Path | None, typer.Option("--junit", help="Write a JUnit report here.")] = None,
    output: Annotated[
        Literal["table", "json", "github"],
        typer.Option("--output", help="github: annotations of a workflow."),
    ] = "table",
    summary: Annotated[
        Path | None,
        typer.Option(
            "--summary", envvar="GITHUB_STEP_SUMMARY", help="With --output github: append Markdown here."
        ),
    ] = None,
    url: Annotated[str | None, typer.Option("--url", help="Ask the service there.")] = None,
    stored: Annotated[
        str | None, typer.Option("--stored", help="With --url: a topology that the service has, as measured.")
    ] = None,
    max_age: Annotated[
        float | None,
        typer.Option(
            "--max-age",
            "--max-snapshot-age-seconds",
            metavar="SECONDS",
            help="With --stored: judge by nothing older; left out: as the topology's policy says, else 900.",
        ),
    ] = None,
    api_key: Annotated[
        str | None, typer.Option("--api-key", envvar="HEADGATE_API_KEY", help="With --url.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Nothing but the files (the default).")] = False,
) -> None:
    """Pass or fail a deployment: exit code 0 pass, 1 capacity short, 2 could not judge."""
    from app.gates import answers
    from app.terminal.refusals import Refused

    try:
        answer = _find_answer(
            {"files": (file, topology), "load": load, "url": url, "stored": stored, "api_key": api_key},
            _read_terms(rate=rate, t_max_seconds=t_max, k_max=k_max, processors=processors, model=model),
            max_age=max_age,
            offline=offline,
        )
        if not allow_lower:
            _refuse_lower(answer, rate)
        if junit:
            _write(junit, answers.render_junit(answer))
        _print_if_read(answer, output, summary)
    except Refused as refused:
        raise _fail(str(refused), output, junit) from refused
    except Exception as error:
        # Python would end with 1, which a job reads as "capacity short".
        raise _fail(f"unexpected {type(error).__name__}: {error}", output, junit) from error
    raise typer.Exit(0 if answer.passed else SHORT)


def _find_answer(
    where: dict[str, Any], terms: dict[str, Any], *, max_age: float | None, offline: bool
) -> "GateAnswer":
    from app.gates import offline as asking
    from app.terminal.refusals import Refused

    given = [path for path in where["files"] if path is not None]
    load, url, stored = where["load"], where["url"], where["stored"]
    if url and offline:
        raise Refused("--url and --offline contradict each other: give one of them")
    if stored is not None:
        if url is None or given or load:
            raise Refused("--stored NAME goes with --url and without files: the service has the topology")
        age = {} if max_age is None else {"max_snapshot_age_seconds": max_age}
        return asking.ask_about_stored(url, where["api_key"], stored, terms | age)
    if max_age is not None:
        raise Refused("--max-age goes with --stored: the age of a load file is yours to know")
    if len(given) != 1 or load is None:
        raise Refused("give one topology file and --load FILE, as in: headgate gate t.yaml --load l.yaml")
    if url:
        return asking.ask_about_files(url, where["api_key"], given[0], load, terms)
    return asking.judge_files(given[0], load, terms)


def _read_terms(*, rate: str | None, processors: list[str] | None, **others: Any) -> dict[str, Any]:
    """The options as the body of the call has them."""
    terms = {name: value for name, value in others.items() if value is not None}
    if rate is not None:
        terms |= _read_rate(rate)
    if processors:
        terms["processors"] = _read_processors(processors)
    return terms


def _read_rate(rate: str) -> dict[str, float]:
    from app.terminal.refusals import Refused

    found = RATE.fullmatch(rate.strip())
    if found is None:
        raise Refused(f"--rate {rate}: write tuples per second, as 480, or a factor, as 1.5x")
    number, unit = float(found[1]), found[2]
    if unit == "%":
        raise Refused(
            f"--rate {rate}: percent are not read; write --rate {number / 100:g}x for {number:g}% of the "
            f"measured rate, --rate {1 + number / 100:g}x for {number:g}% more than it"
        )
    return {"rate_factor" if unit else "external_rate": number}


def _refuse_lower(answer: "GateAnswer", rate: str | None) -> None:
    """A pass at less than what arrives now is mostly a factor whose x was forgotten."""
    from app.terminal.refusals import Refused

    if answer.external_rate == 0 and "rate_factor" in _read_rate(rate or "1"):
        raise Refused(
            f"--rate {rate}: 0 tuples/s are judged, for the measured rate or the factor is 0; give a rate"
        )
    lower = [said.detail for said in answer.diagnostics if said.code == "rate-below-measured"]
    if rate is None or not lower:
        return
    read = _read_rate(rate)
    given = read.get("external_rate", 0.0)
    meant = f"{given:g}x" if 1 < given < LARGEST_LIKELY_FACTOR else "1.5x"
    factor = f"if {meant[:-1]} times the measured rate was meant, write --rate {meant}; "
    raise Refused(
        f"--rate {rate} is below the measured rate ({lower[0].partition(':')[0].lower()}): "
        f"{'' if 'rate_factor' in read else factor}if the lower rate is meant, add --allow-lower"
    )


def _read_processors(given: list[str]) -> dict[str, Any]:
    from app.terminal.files import read_document
    from app.terminal.refusals import Refused

    counts: dict[str, Any] = {}
    for one in given:
        name, _, count = one.rpartition("=")
        if name and count.isdecimal():
            counts[name] = int(count)
            continue
        document = read_document(Path(one)) if Path(one).is_file() else None
        if not isinstance(document, dict):
            raise Refused(
                f"--processors {one}: write operator=count, e.g. detector=13, or name a file of such pairs"
            )
        counts |= document
    return counts


def _print_if_read(answer: "GateAnswer", output: str, summary: Path | None) -> None:
    """The verdict stands also where whoever reads it, as `head` does, stops before its end."""
    try:
        _print(answer, output, summary)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # rich ends the process then, as if the gate had not passed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(answer: "GateAnswer", output: str, summary: Path | None) -> None:
    from app.gates import answers

    if output == "json":
        sys.stdout.write(answer.model_dump_json(indent=2) + "\n")
    elif output == "github":
        sys.stdout.write(answers.render_annotations(answer))
        if summary:
            _write(summary, answers.render_markdown(answer), mode="a")
    else:
        answers.print_table(answer)


def _write(path: Path, text: str, mode: str = "w") -> None:
    from app.terminal.refusals import Refused

    try:
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise Refused(f"{path}: cannot be written: {error.strerror}") from error


def _fail(why: str, output: str, junit: Path | None) -> typer.Exit:
    """Could not judge, said wherever a verdict would have been said."""
    from app.gates import answers

    typer.echo(f"headgate: {why}", err=True)
    if output == "github":
        sys.stdout.write(answers.render_problem_annotation(why))
    if junit:
        try:
            junit.write_text(answers.render_junit_problem(why), encoding="utf-8")
        except OSError as error:
            typer.echo(f"headgate: {junit}: cannot be written: {error.strerror}", err=True)
    return typer.Exit(COULD_NOT_JUDGE)
