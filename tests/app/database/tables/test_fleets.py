"""There is one policy of the fleet at most."""

import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.database.tables import FleetPolicyRow


def test_a_fleet_has_one_policy(session: Session):
    session.add(FleetPolicyRow(id=2, policy={}))
    with pytest.raises(IntegrityError):
        session.flush()
