"""Topologies as JSON: the bodies and answers of `/v1/topologies`."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from app.load.bodies.topology import FPD, EdgeBody, EntryBody, Graph, OperatorBody, QueueingName
from app.web.fields import Answer, NextPage, StoredBy, TopologyName, show_example

Source = Annotated[
    Literal["posted", "discovered", "demo"],
    Field(description="posted: by a caller; discovered: by the ingest, from logs; demo: by `headgate demo`."),
]


class TopologyChange(Graph):
    """A topology to store; the read-only fields of an answer may be left in, so that it can be edited and sent
    back.
    """

    name: Annotated[
        TopologyName | None,
        Field(description="In a change: may be left out, and must be the name in the address."),
    ] = None
    revision: Annotated[
        int | None,
        Field(
            ge=1,
            le=2**31 - 1,
            description="The revision that this body was made from: refused (412) if it is not current.",
        ),
    ] = None
    source: Annotated[Source | None, Field(description="Read-only: ignored.")] = None
    created_at: Annotated[str | None, Field(description="Read-only: ignored.")] = None
    created_by: Annotated[str | None, Field(description="Read-only: ignored.")] = None

    def definition(self) -> dict[str, object]:
        """The operators, edges, entries and labels, which are stored."""
        return self.model_dump(include={"queueing", "operators", "edges", "entries", "labels"})


class TopologyBody(TopologyChange):
    """A new topology."""

    name: TopologyName


class TopologyAnswer(Answer):
    """A stored topology, at one revision."""

    model_config = show_example(FPD | {"revision": 1, "source": "posted"})

    name: str
    queueing: QueueingName | None = None
    operators: list[OperatorBody]
    edges: list[EdgeBody]
    entries: list[EntryBody]
    labels: list[str] = []
    revision: int
    source: Source
    created_at: datetime
    created_by: StoredBy = None


class TopologySummary(Answer):
    """A topology in the list of all topologies."""

    name: str
    revision: int
    source: Source
    operators: int
    edges: int
    created_at: datetime
    updated_at: datetime


class TopologyPage(Answer):
    """Topologies by name."""

    model_config = show_example(
        {
            "items": [
                {
                    "name": "fpd",
                    "revision": 1,
                    "source": "posted",
                    "operators": 3,
                    "edges": 3,
                    "created_at": "2026-11-18T09:00:00Z",
                    "updated_at": "2026-11-18T09:00:00Z",
                }
            ],
            "next": None,
        }
    )

    items: list[TopologySummary]
    next: NextPage = None
