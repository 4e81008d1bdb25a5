"""Every objective that is listed is a route, a stored route, a command and a name of a plan's objective."""

from typer.testing import CliRunner

from app.command_line import cli
from app.main import create_app
from app.planning.plans.schemas import OBJECTIVES
from app.settings import Settings


def test_every_objective_is_a_route_and_a_stored_route():
    paths = create_app(Settings(log_level="error")).openapi()["paths"]
    operations = {path: found["post"]["operationId"] for path, found in paths.items() if "post" in found}
    for objective in OBJECTIVES:
        words = "".join(word.capitalize() for word in objective.name.split("-"))
        assert operations[f"/v1/plans/{objective.name}"] == f"plan{words}"
        assert operations[f"/v1/topologies/{{name}}/plans/{objective.name}"] == f"planStored{words}"
    planned = {path.rpartition("/")[2] for path in operations if "/plans/" in path}
    assert planned == {objective.name for objective in OBJECTIVES} | {"fleet"}


def test_every_objective_is_a_command_with_its_options():
    for objective in OBJECTIVES:
        shown = CliRunner().invoke(cli, ["plan", objective.name, "--help"], env={"COLUMNS": "200"})
        assert shown.exit_code == 0
        for flag in [flag for option in objective.options for flag in option.flags]:
            assert flag in shown.output


def test_no_two_objectives_share_a_name():
    names = [objective.name for objective in OBJECTIVES]
    assert len(set(names)) == len(names)
