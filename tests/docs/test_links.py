"""Every link of the documents leads somewhere, and every file or module that they name exists."""

import re
from functools import lru_cache
from pathlib import Path

import pytest

from tests.docs.consoles import PAGES, ROOT

IDS = [str(page.relative_to(ROOT)) for page in PAGES]
FOLDERS = ("app", "planner", "ingest", "migrations", "tests", "benchmarks", "tools", "docs")
CURRENT = [page for page in PAGES if page.name != "CHANGELOG.md"]  # which names files of earlier versions
PATHS = re.compile(
    r"(?<![\w/.{-])(?:app|planner|ingest|migrations|tests|benchmarks|tools|docs)/[\w./*-]*[\w/*]"
)
FILES = re.compile(r"(?<![\w/.*-])[\w-]+\.py\b")
MODULES = re.compile(r"(?<![\w./-])(?:app|planner|ingest)(?:\.\w+)+")


@lru_cache
def list_names() -> frozenset[str]:
    """The names of the files that the repository can hold: those at the top and those of its folders."""
    below = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    return frozenset(path.name for path in [*ROOT.iterdir(), *below] if "__pycache__" not in path.parts)


def list_anchors(page: Path) -> set[str]:
    """The places of a page that a link can lead to: its headings, as GitHub names them, and its own anchors."""
    text = page.read_text()
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)"', text))


def is_module(name: str) -> bool:
    """Whether a dotted name is a module of the repository, or something in one."""
    parts = name.split(".")
    for count in range(len(parts), 1, -1):
        path = ROOT.joinpath(*parts[:count])
        if path.is_dir():
            return count == len(parts)
        if path.with_suffix(".py").exists():
            return all(
                re.search(rf"\b{part}\b", path.with_suffix(".py").read_text()) for part in parts[count:]
            )
    return False


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_link_leads_somewhere(page: Path):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text()):
        if target.startswith("https://"):
            continue
        found = page.parent / target if target else page
        assert found.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in list_anchors(found), f"{page.name} links to {target}#{anchor}"


@pytest.mark.parametrize("page", CURRENT, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_a_page_names_exists(page: Path):
    text = page.read_text()
    for path in PATHS.findall(text):
        assert list(ROOT.glob(path)) if "*" in path else (ROOT / path).exists(), f"{page.name} names {path}"
    for name in FILES.findall(text):
        assert name in list_names(), f"{page.name} names {name}"
    for name in MODULES.findall(text):
        if name.endswith(".md"):
            continue  # a page, such as ingest.md
        assert is_module(name), f"{page.name} names {name}"


def test_every_page_can_be_reached_from_the_readme():
    reached, ahead = set[Path](), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached:
            continue
        reached.add(page)
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
            found = (page.parent / target).resolve()
            pages = sorted(found.glob("*.md")) if found.is_dir() else [found]
            ahead += [one for one in pages if one in PAGES]
    assert reached == set(PAGES)
