"""The tree keeps the rules of docs/architecture.md."""

from pathlib import Path

import pytest

from tests.house import tree


@pytest.mark.parametrize("rule", tree.RULES)
def test_the_tree_keeps_the_rule(rule: str):
    broken = tree.RULES[rule]()
    assert not broken, f"{rule}:\n" + "\n".join(broken)


def test_every_exception_from_a_test_of_its_name_is_needed():
    for module, reason in tree.UNTESTED.items():
        path = Path(module)
        assert (tree.ROOT / path).exists(), module
        assert not tree.is_tested(path), f"{module} has a test: {reason}"


@pytest.mark.parametrize(
    ("module", "test"),
    [
        ("planner/queueing/erlang.py", "tests/planner/queueing/test_erlang.py"),
        ("app/planning/plans/service.py", "tests/app/planning/plans/test_routes.py"),
        ("app/planning/plans/offline.py", "tests/app/planning/plans/test_command.py"),
        ("app/web/fields.py", "tests/app/web/test_fields.py"),
        ("ingest/measuring/merge.py", "tests/ingest/measuring/test_merge.py"),
    ],
)
def test_a_module_is_tested_by_the_file_of_its_name(module: str, test: str):
    assert (tree.ROOT / module).exists()
    assert tree.name_test(Path(module)) == Path(test)


def test_the_rules_see_what_breaks_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A small tree that breaks every rule."""
    (tmp_path / "app" / "plans").mkdir(parents=True)
    long_function = "def f():\n" + "    f()\n" * tree.MOST_LINES_OF_A_FUNCTION
    (tmp_path / "app" / "plans" / "routes.py").write_text("class Twice: ...\n" + long_function)
    (tmp_path / "app" / "plans" / "helpers.py").write_text(
        f"class Twice: ...\n# ../{'shared'}\n" + "\n" * 300
    )
    monkeypatch.setattr(tree, "ROOT", tmp_path)
    for rule, find in tree.RULES.items():
        assert find(), rule
    (tmp_path / "app" / "plans" / "helpers.py").unlink()
    assert not tree.find_strange_files()
    assert not tree.find_doubled_classes()
    assert not tree.find_long_files()
    assert not tree.find_outside_paths()


def test_git_ignores_what_tools_write():
    ignored = (tree.ROOT / ".gitignore").read_text().splitlines()
    assert {"__pycache__/", ".venv/", ".headgate/"} <= set(ignored)
