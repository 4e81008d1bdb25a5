"""A wrong name is answered with a stored one that resembles it, where there is one."""

import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from app.database.tables import TopologyRow
from app.database.versions import suggest_stored
from migrations.runner import migrate


@pytest.mark.parametrize(
    ("wrong", "expected"), [("clikcs", " Did you mean 'clicks'?"), ("payments", ""), ("", "")]
)
def test_a_stored_name_is_suggested_only_where_it_is_similar(
    empty_database_url: str, wrong: str, expected: str
):
    migrate(empty_database_url)
    engine = create_engine(empty_database_url)
    with Session(engine) as session:
        session.add_all([TopologyRow(name=name, revision=1) for name in ("clicks", "a very long name")])
        session.flush()
        assert suggest_stored(session, TopologyRow.name, wrong) == expected
    engine.dispose()


def test_of_very_many_names_the_nearest_is_suggested(empty_database_url: str):
    migrate(empty_database_url)
    engine = create_engine(empty_database_url)
    with Session(engine) as session:
        names = [f"orders-{number:04}" for number in range(1000)]
        session.add_all([TopologyRow(name=name, revision=1) for name in (*names, "orders-zurich")])
        session.flush()
        assert suggest_stored(session, TopologyRow.name, "odrers-zurich") == " Did you mean 'orders-zurich'?"
    engine.dispose()
