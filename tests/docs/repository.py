"""Where the pages are."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "protocol").rglob("*.md")],
    key=lambda page: page.relative_to(ROOT).as_posix(),
)


def name_of(page: Path) -> str:
    """A page's path in the repository, for a test's name."""
    return page.relative_to(ROOT).as_posix()
