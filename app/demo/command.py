"""`headgate demo`: stores a small topology with a day of measurements and decisions."""

from contextlib import nullcontext

import typer

from app.terminal.commands import fail, load_settings


def demo() -> None:
    """Store the topology `demo` with a day of snapshots, a policy and decisions, in place of an earlier one."""
    from datetime import UTC, datetime

    from sqlalchemy.orm import Session

    from app.database.connections.transactions import make_engine
    from app.demo.day.service import NAME, store_demo
    from app.demo.live.service import LIVE_NAME, start_live
    from app.terminal.databases import choose_or_fail, open_migrated_database
    from app.web.problems.stored_data_errors import DemoNameTaken

    choice = choose_or_fail(load_settings())
    with open_migrated_database(choice, "storing the demo in", nullcontext()) as url:
        engine = make_engine(choice.settings, url)
        try:
            with Session(engine) as session, session.begin():
                stored = store_demo(session, choice.settings, datetime.now(UTC))
                if choice.settings.demo_minutes:
                    start_live(session, choice.settings, datetime.now(UTC))
        except DemoNameTaken as error:
            raise fail(str(error), 1) from error
        finally:
            engine.dispose()
    typer.echo(
        f"stored topology {NAME}: a day of {stored.snapshots} snapshots and {stored.decisions} decisions; "
        "look at /ui/ of the service"
    )
    if choice.settings.demo_minutes:
        typer.echo(
            f"stored topology {LIVE_NAME}: it goes on while the service runs; look at /ui/#/topologies/{LIVE_NAME}"
        )
