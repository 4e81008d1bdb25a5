"""`headgate bridge ENGINE`: exit code 0 nothing to do or applied, 1 a change is wanted, 2 could not judge."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from app.terminal.commands import fail

ENGINES = "flink|storm|heron|spark|kafka|prometheus"
EngineArgument = Annotated[str, typer.Argument(metavar=ENGINES, help="The engine at --url.")]
UrlOption = Annotated[str, typer.Option("--url", help="The engine's HTTP interface.")]
JobOption = Annotated[
    str | None, typer.Option("--job", help="Name or id of the job; left out: the only one.")
]
ServiceOption = Annotated[
    str, typer.Option("--service", envvar="HEADGATE_URL", help="Where `headgate serve` answers.")
]
NameOption = Annotated[
    str | None, typer.Option("--topology", help="Its name in the service; left out: that of the job.")
]
IntervalOption = Annotated[str, typer.Option("--interval", help="Time between two samples: 15s, 1m.")]
ApplyOption = Annotated[
    bool, typer.Option("--apply/--dry-run", help="Change the engine; --dry-run, the default, shows only.")
]
StepOption = Annotated[str, typer.Option("--max-step", help="Most growth of an operator in one change: 2x.")]
OnceOption = Annotated[bool, typer.Option("--once", help="Two samples and one decision, then end.")]
PolicyOption = Annotated[
    Path | None, typer.Option("--policy", help="JSON or YAML; stored where the topology has none.")
]
TMaxOption = Annotated[
    str | None, typer.Option("--t-max", help="In place of --policy: E[T] not to exceed, 200ms or 0.2s.")
]
SettleOption = Annotated[
    str,
    typer.Option(
        "--settle", help="How long a change may take until it runs, the engine's cooldown included."
    ),
]
OutputOption = Annotated[
    Literal["auto", "lines", "json"],
    typer.Option("--output", help="auto: a live table on a terminal, lines elsewhere."),
]
CaOption = Annotated[
    Path | None, typer.Option("--ca-file", help="Certificates to trust, PEM; left out: the system's.")
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
    int | None, typer.Option("--health-port", help="Serve /healthz and /readyz here.", min=0, max=65535)
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
    """Measure a running job, decide, and with --apply scale it; --once exits 0 fine, 1 change wanted, 2 not judged."""
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
