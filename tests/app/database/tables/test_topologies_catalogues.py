"""Versions are added: one name may stand in several, and each version stands once."""

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.database.tables import ProfileRow, VmCatalogueRow


@pytest.mark.parametrize("table", [ProfileRow, VmCatalogueRow])
def test_each_version_of_a_name_stands_once(session: Session, table: type[ProfileRow] | type[VmCatalogueRow]):
    session.add_all([table(name="a", version=version, definition={}) for version in (1, 2)])
    session.flush()
    session.expunge_all()
    session.add(table(name="a", version=2, definition={}))
    with pytest.raises(IntegrityError, match=f"pk_{table.__tablename__}"):
        session.flush()
