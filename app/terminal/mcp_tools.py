"""The tools of `headgate mcp`: each asks a running service, and says in its first sentence what it is for."""

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from app.client.answers import DecisionFields
from app.client.clients import AsyncClient
from app.client.problems import HeadgateError

WORDS = """Headgate says how many processors each operator of a stream-processing topology should run, and why. E[T] is
the total time in operators for one tuple from outside, in seconds; null: not known, or without bound. Nothing here
changes what runs on a platform."""
MOST_ROOTS = 200_000
FEW_POINTS, FEW_TOPOLOGIES = 20, 50

Name = Annotated[str, Field(description="The topology, as the tool overview names it.")]
Tool = Callable[..., Awaitable[Any]]
SAID = (
    "verdict",
    "action",
    *(name for name in DecisionFields.__annotations__ if name != "current"),
    "counterfactuals",
)
OF_FLEET = (
    "name",
    "running",
    "processors_total",
    "expected_sojourn_seconds",
    "target_seconds",
    "meets",
    "lost",
    "action",
    "turn",
    "after",
)


def open_server(url: str, api_key: str | None, storing_key: str | None) -> MCPServer[Any]:
    """The server with all tools that read, and with those that store if there is a key for them."""
    server = MCPServer("headgate", instructions=WORDS)
    offer(server, ReadingTools(AsyncClient(url, api_key)), reads=True)
    if storing_key:
        offer(server, StoringTools(AsyncClient(url, storing_key)), reads=False)
    return server


def offer(server: MCPServer[Any], tools: Any, *, reads: bool) -> None:
    """Offers every public method of an object as a tool."""
    for name, kind in vars(type(tools)).items():
        if not name.startswith("_"):
            tool = tell_problems(getattr(tools, name))
            server.add_tool(tool, description=kind.__doc__, annotations=ToolAnnotations(read_only_hint=reads))


def tell_problems(tool: Tool) -> Tool:
    """The tool, whose refusals are the sentences of the service."""

    @wraps(tool)
    async def tell(*given: Any, **named: Any) -> Any:
        try:
            return await tool(*given, **named)
        except HeadgateError as error:
            raise ToolError(str(error)) from error

    return tell


def shorten(answer: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The fields of an answer that a conversation needs."""
    return {name: answer[name] for name in names if name in answer}


def shorten_fleet(answer: Mapping[str, Any]) -> dict[str, Any]:
    """A plan or a decision of the fleet with few of its topologies, those that miss their targets first."""
    rows = sorted(
        answer["topologies"], key=lambda row: (row["meets"] is not False, row["one_more_seconds"] or 0.0)
    )
    shown = [{name: row[name] for name in OF_FLEET if name in row} for row in rows[:FEW_TOPOLOGIES]]
    return {**answer, "topologies": shown, "topologies_in_all": len(rows)}


class ReadingTools:
    """What may be asked with any key. Nothing is stored."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def overview(self) -> dict[str, Any]:
        """Every topology of the service, the most urgent first: status, processors, E[T], target, and what is wrong."""
        return {"topologies": await self._client.overview()}

    async def decision(self, topology: Name) -> dict[str, Any]:
        """What should change in a topology now, and why: the verdict, processors, reasons and constraints; a trial."""
        return shorten(await self._client.decide(topology, store=False), SAID)

    async def what_if(
        self,
        topology: Name,
        load_factor: Annotated[float, Field(gt=0.0, description="1.5: half as much again comes in.")] = 1.0,
        t_max_seconds: Annotated[
            float | None, Field(description="A target for E[T]; null: the policy's.")
        ] = None,
        k_max: Annotated[int | None, Field(description="The most processors in all.")] = None,
    ) -> dict[str, Any]:
        """What more load, another target or fewer processors would mean: E[T] of what runs, and the best plan."""
        asked = {"load_factor": load_factor, "t_max_seconds": t_max_seconds, "k_max": k_max}
        terms = {name: value for name, value in asked.items() if value is not None}
        found: dict[str, Any] = dict(await self._client.what_if(topology, **terms))
        points = found.pop("frontier", [])
        step = max(len(points) // FEW_POINTS, 1)
        return found | {"frontier": points[::step]}

    async def fleet(
        self,
        k_max: Annotated[int, Field(ge=1, description="The processors that all topologies share.")],
        load_factor: Annotated[
            float, Field(gt=0.0, description="1.3: all rates are so many times as high.")
        ] = 1.0,
        lost_processors: Annotated[int, Field(ge=0, description="So many are lost, as with a node.")] = 0,
        label: Annotated[str | None, Field(description="Only topologies with this label; null: all.")] = None,
    ) -> dict[str, Any]:
        """What each topology gets of one budget, who misses its target and who has the processors; also what if."""
        terms = {"load_factor": load_factor, "lost_processors": lost_processors}
        chosen = {} if label is None else {"topologies": {"label": label}}
        return shorten_fleet(await self._client.plan_fleet(k_max, **terms, **chosen))

    async def report(self, topology: Name) -> str:
        """The report on the newest decision of a topology, as Markdown: verdict, numbers, operators, evidence."""
        return await self._client.report(topology)

    async def simulate(
        self,
        topology: Name,
        roots: Annotated[int, Field(ge=100, le=MOST_ROOTS, description="How many external tuples.")] = 20_000,
        processors: Annotated[
            dict[str, int] | None, Field(description="Of each operator; null: those that run.")
        ] = None,
    ) -> dict[str, Any]:
        """Simulates a topology tuple by tuple under its newest load: means and quantiles beside the model's."""
        terms = {"roots": roots} | ({} if processors is None else {"processors": processors})
        return await self._client.simulate_stored(topology, **terms)


class StoringTools:
    """What needs a key that may store."""

    def __init__(self, client: AsyncClient) -> None:
        self._client = client

    async def make_decision(self, topology: Name) -> dict[str, Any]:
        """Decides what should change in a topology now, and stores the decision: a change begins the cooldown."""
        return shorten(await self._client.decide(topology), SAID)

    async def decide_fleet(self) -> dict[str, Any]:
        """Shares the budget of the fleet's policy among its topologies, and stores a decision of each, in turns."""
        return shorten_fleet(await self._client.decide_fleet())

    async def record_outcome(
        self,
        decision_id: Annotated[str, Field(description="The id that make_decision answered.")],
        state: Annotated[str, Field(description="applied, rolled-back, refused or failed.")],
        detail: Annotated[str | None, Field(description="What happened, in a sentence.")] = None,
    ) -> dict[str, Any]:
        """Tells the service what became of a stored decision."""
        told = {"state": state} | ({} if detail is None else {"detail": detail})
        return dict(await self._client.record_outcome(decision_id, told))
