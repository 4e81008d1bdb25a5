"""`headgate bridge ENGINE`: exit code 0 nothing to do or applied, 1 a change is wanted, 2 no verdict."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from app.terminal.commands import fail

ENGINES = "flink|storm|heron|spark|kafka|prometheus"
EngineArgument = Annotated[str, typer.Argument(metavar=ENGINES, help="The engine at --url.")]
UrlOption = Annotated[str, typer.Option("--url", help="The engine's HTTP interface.")]
JobOption = Annotated[
    str | None, typer.Option("--job", help="Name or id of the job; left out: the only job.")
]
ServiceOption = Annotated[
    str, typer.Option("--service", envvar="HEADGATE_URL", help="The address of `headgate serve`.")
]
NameOption = Annotated[
    str | None,
    typer.Option("--topology", help="The topology's name in the service; left out: the name of the job."),
]
IntervalOption = Annotated[str, typer.Option("--interval", help="Time between two samples: 15s, 1m.")]
ApplyOption = Annotated[
    bool,
    typer.Option(
        "--apply/--dry-run", help="Change the engine; --dry-run, the default, only shows the changes."
    ),
]
StepOption = Annotated[
    str, typer.Option("--max-step", help="The most growth of an operator in one change: 2x.")
]
OnceOption = Annotated[bool, typer.Option("--once", help="Take two samples, decide once, and end.")]
PolicyOption = Annotated[
    Path | None, typer.Option("--policy", help="Policy, JSON or YAML; stored if the topology has none.")
]
TMaxOption = Annotated[
    str | None, typer.Option("--t-max", help="Instead of --policy: the largest E[T], as 200ms or 0.2s.")
]
SettleOption = Annotated[
    str,
    typer.Option("--settle", help="The longest time until a change runs, with the engine's cooldown."),
]
OutputOption = Annotated[
    Literal["auto", "lines", "json"],
    typer.Option("--output", help="auto: a live table on a terminal, lines elsewhere."),
]
CaOption = Annotated[
    Path | None, typer.Option("--ca-file", help="Trusted certificates, PEM; left out: the system's.")
]
KeyFileOption = Annotated[
    Path | None, typer.Option("--api-key-file", help="The service's key; or set HEADGATE_API_KEY.")
]
TokenFileOption = Annotated[
    Path | None,
    typer.Option(
        "--engine-token-file",
        help="The engine's bearer token; or set HEADGATE_ENGINE_TOKEN, or HEADGATE_ENGINE_USER and "
        "HEADGATE_ENGINE_PASSWORD.",
    ),
]
PasswordFileOption = Annotated[
    Path | None, typer.Option("--engine-password-file", help="With HEADGATE_ENGINE_USER.")
]
HealthPortOption = Annotated[
    int | None,
    typer.Option("--health-port", help="Serve /healthz and /readyz on this port.", min=0, max=65535),
]
HealthHostOption = Annotated[str, typer.Option("--health-host", help="Address of --health-port.")]


def bridge(
    engine: EngineArgument,
    url: UrlOption,
    job: JobOption = None,
    *,
    service: ServiceOption = "http://127.0.0.1:8000",
    topology: NameOption = None,
    interval: IntervalOption = "15s",
    apply: ApplyOption = False,
    max_step: StepOption = "2x",
    once: OnceOption = False,
    policy: PolicyOption = None,
    t_max: TMaxOption = None,
    settle: SettleOption = "120s",
    output: OutputOption = "auto",
    ca_file: CaOption = None,
    api_key_file: KeyFileOption = None,
    engine_token_file: TokenFileOption = None,
    engine_password_file: PasswordFileOption = None,
    health_port: HealthPortOption = None,
    health_host: HealthHostOption = "127.0.0.1",
) -> None:
    """Measure a running job, decide, and with --apply scale it; with --once exits 0 fine, 1 change wanted, 2 no
    verdict.
    """
    from app.bridge.starting import Given, start
    from app.terminal.commands import Refused

    secrets = (api_key_file, engine_token_file, engine_password_file)
    given = Given(
        engine, url, job, service, topology, interval, apply, max_step, once, policy, t_max, settle, output, ca_file,
        *secrets, health_port, health_host,
    )  # fmt: skip
    try:
        code = start(given)
    except Refused as refused:
        raise fail(str(refused)) from refused
    raise typer.Exit(code)
