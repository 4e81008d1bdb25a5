"""Builds the service by create_app(): settings, routers, exception handlers, middleware and the database engine."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from anyio import CapacityLimiter
from fastapi import FastAPI
from sqlalchemy.orm import sessionmaker

from app.database.connections.transactions import make_engine, make_health_engine, make_metrics_engine
from app.database.retention import Retention
from app.database.shared_reads import SharedReads
from app.database.signed_out_tickets import SignedOutTickets
from app.deciding import keda, what_ifs
from app.deciding.decisions import routes as decisions
from app.deciding.fleet import routes as fleets
from app.deciding.fleet_decisions import routes as fleet_decisions
from app.deciding.fleet_policy import routes as fleet_policy
from app.deciding.outcomes import routes as outcomes
from app.deciding.patches import routes as patches
from app.deciding.policies import routes as policies
from app.deciding.recommendations import routes as recommendations
from app.deciding.replays import routes as replays
from app.demo.day import routes as demos
from app.demo.live import routes as live_demos
from app.demo.live_thread import LiveDemo
from app.engines.engine_snapshots import routes as engine_snapshots
from app.forecasts import past_forecasts
from app.forecasts.vms import routes as vm_forecasts
from app.forecasts.workload import routes as workload_forecasts
from app.jobs.backtests import routes as backtests
from app.jobs.simulations import routes as simulations
from app.jobs.workers.dispatcher import make_dispatchers
from app.jobs.workers.ready_process import ReadyProcess
from app.load import ingest_runs, summaries
from app.load.measurements.snapshots import CLOCK_LEAD
from app.load.snapshots import routes as snapshots
from app.load.throughput_samples import routes as throughput_samples
from app.load.topologies import routes as topologies
from app.machines import predictions, vm_catalogues
from app.machines.placements import routes as placements
from app.machines.profiles import routes as profiles
from app.pages import audit, documentation, metrics
from app.pages import topology_report as topology_reports
from app.pages.dashboard.files import install_dashboard
from app.pages.overview import routes as overviews
from app.pages.series import routes as timelines
from app.pages.webhook_sender import WebhookSender
from app.planning.gates import routes as gates
from app.planning.plans import routes as plans
from app.settings import Settings
from app.web import health
from app.web.callers import sign_in
from app.web.callers.keys import KeyRing
from app.web.callers.proxies import TrustedProxies
from app.web.callers.wrong_keys import WrongKeys
from app.web.life_signs import LifeSigns
from app.web.middleware import BodyLimit, BrowserGuard
from app.web.observability import RequestRecorder, observe_pool
from app.web.overload.compute_queue import SWITCH_SECONDS, Computing
from app.web.overload.compute_turns import Turns
from app.web.overload.direct_route import DirectPass
from app.web.problems.problem_answers import install_problems
from app.web.telemetry import start_telemetry, stop_telemetry
from migrations.runner import newest_revision

ROUTERS = (
    keda.router,
    plans.router,  # the stateless calls of plans are the quickest
    topologies.router,
    snapshots.router,
    engine_snapshots.router,
    summaries.router,
    ingest_runs.router,
    profiles.router,
    vm_catalogues.router,
    placements.router,
    predictions.router,
    gates.router,
    fleets.router,
    fleet_policy.router,
    fleet_decisions.router,
    policies.router,
    replays.router,
    decisions.router,
    outcomes.router,
    patches.router,
    vm_forecasts.router,
    throughput_samples.router,
    workload_forecasts.router,
    backtests.router,
    simulations.router,
    what_ifs.router,
    overviews.router,
    audit.router,
    past_forecasts.router,
    topology_reports.router,
    sign_in.router,
    timelines.router,
    recommendations.router,
    demos.router,
    live_demos.router,
    health.router,
    metrics.router,
    documentation.router,
)


def create_app(settings: Settings, keys: KeyRing | None = None) -> FastAPI:
    """The web application with routes, error answers and middleware; it opens no connection and configures no log."""
    app = FastAPI(
        title="Headgate",
        version=version("headgate"),
        summary="Computes how many processors a stream-processing platform needs, where, and why.",
        description=documentation.START_HERE,
        lifespan=open_database,
        openapi_tags=documentation.TAGS,
        docs_url=None,  # documentation.py serves /docs with local files
        redoc_url=None,
        redirect_slashes=False,  # /v1/topologies/ is unknown (404)
    )
    app.state.settings = settings
    app.state.computing = Computing(settings)
    app.state.turns = Turns()
    app.state.ready_process = ReadyProcess(settings)
    app.state.keys = keys or KeyRing(settings)
    app.state.wrong_keys = WrongKeys()
    for router in ROUTERS:
        # include_router would search every route twice: first for the router, then within it.
        app.router.routes.extend(router.routes)
    install_problems(app)
    documentation.install_documentation(app)
    install_dashboard(app)
    app.add_middleware(BodyLimit, limit_bytes=settings.max_body_bytes)
    app.add_middleware(DirectPass, routes=keda.router.routes)
    app.add_middleware(BrowserGuard)
    app.add_middleware(RequestRecorder)
    if settings.proxy_networks:  # the last one added receives the request first
        app.add_middleware(TrustedProxies, networks=settings.proxy_networks)
    return app


@asynccontextmanager
async def open_database(app: FastAPI) -> AsyncIterator[None]:
    """Keeps the pool of database connections while the service runs; Postgres may start later than the service."""
    settings: Settings = app.state.settings
    assert settings.database_url is not None, (
        "headgate serve sets the URL: that of the embedded Postgres if there is no other"
    )
    sys.setswitchinterval(SWITCH_SECONDS)
    if settings.api_keys_file is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, app.state.keys.read_again)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})
    engine = make_engine(settings, settings.database_url.get_secret_value())
    observe_pool(engine)
    app.state.session_factory = sessionmaker(
        engine, expire_on_commit=False, info={CLOCK_LEAD: settings.clock_lead_seconds}
    )
    app.state.signed_out = SignedOutTickets(app.state.session_factory)
    dispatchers = make_dispatchers(settings)
    for dispatcher in dispatchers:
        dispatcher.start()
    app.state.ready_process.start()
    retention = Retention(settings)
    retention.start()
    start_telemetry()
    webhooks = WebhookSender(settings)
    if webhooks.is_wanted:
        webhooks.start()
    live_demo = LiveDemo(settings)
    if settings.demo_minutes:
        live_demo.start()
    async with open_health(app):
        yield
    app.state.ready_process.stop()
    retention.stop()
    live_demo.stop()
    webhooks.stop()
    stop_telemetry()
    for dispatcher in dispatchers:
        dispatcher.stop()
    engine.dispose()


def create_health_app(settings: Settings, keys: KeyRing, life_signs: LifeSigns) -> FastAPI:
    """What answers on the health port; it shares nothing with the app of the main port but the keys."""
    app = FastAPI(lifespan=open_listener, openapi_url=None, redirect_slashes=False)
    app.state.settings = settings
    app.state.keys = keys
    app.state.wrong_keys = WrongKeys()
    app.state.life_signs = life_signs
    for router in (health.listener_router, metrics.router):
        app.router.routes.extend(router.routes)
    install_problems(app)
    app.add_middleware(BrowserGuard)
    return app


@asynccontextmanager
async def open_listener(app: FastAPI) -> AsyncIterator[None]:
    """Keeps what the health port needs of the database while it is open."""
    async with open_health(app):
        app.state.signed_out = SignedOutTickets(sessionmaker(app.state.metrics_engine))
        yield


@asynccontextmanager
async def open_health(app: FastAPI) -> AsyncIterator[None]:
    """Keeps connections and threads for readiness and metrics alone, so that neither waits for other requests."""
    settings: Settings = app.state.settings
    assert settings.database_url is not None, "open_database says why"
    url = settings.database_url.get_secret_value()
    app.state.health_engine, app.state.metrics_engine = make_health_engine(url), make_metrics_engine(url)
    app.state.readiness = SharedReads(health.compare_revisions, threads=1)
    app.state.newest_revision = newest_revision()
    app.state.gauges_limiter, app.state.metrics_limiter = CapacityLimiter(1), CapacityLimiter(1)
    yield
    app.state.health_engine.dispose()
    app.state.metrics_engine.dispose()
