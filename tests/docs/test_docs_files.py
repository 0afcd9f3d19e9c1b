"""What the pages say of a run's folder, against a folder that a run has just made."""

import re
import stat
from fnmatch import fnmatch
from pathlib import Path

import pytest
from repository import ROOT

import covey

_ROW = re.compile(r"^\| (?P<files>`[^|]+`) \| (?P<whose>[^|]+) \| (?P<what>[^|]+) \|$", re.MULTILINE)


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> list[Path]:
    """The folders of a federated and of a central run of one round."""
    root = tmp_path_factory.mktemp("runs")
    covey.train("fedncf", "synthetic:village", out=root / "federated", people_per_round=60, global_rounds=1)
    covey.train("central-ncf", "synthetic:village", out=root / "central", rounds=1)
    return [root / "federated", root / "central"]


def described() -> dict[str, str]:
    """Each file's pattern -> what the page on privacy says of it."""
    page = (ROOT / "docs/reference/what-leaves-the-device.md").read_text("utf-8")
    rows = _ROW.findall(page.split("## Files of a simulation")[1])
    return {name: what for names, _, what in rows for name in re.findall(r"`([^`]+)`", names)}


def files_of(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_every_file_of_a_run_is_described(folders):
    for folder in folders:
        unknown = [
            name for name in files_of(folder) if not any(fnmatch(name, known) for known in described())
        ]
        assert unknown == []


def test_no_file_is_described_that_runs_do_not_make(folders):
    made = [name for folder in folders for name in files_of(folder)]
    later = {
        "report.html",
        "report.md",
        "report.json",
        "audit.json",
    }  # `covey report` and `covey audit` write these
    assert [
        known for known in set(described()) - later if not any(fnmatch(name, known) for name in made)
    ] == []


def test_a_file_for_the_owner_alone_is_closed_to_everybody_else(folders):
    for folder in folders:
        for name in files_of(folder):
            what = next(what for known, what in described().items() if fnmatch(name, known))
            open_to_others = stat.S_IMODE((folder / name).stat().st_mode) & 0o077
            assert not (open_to_others and "For the owner alone" in what), name


def test_the_guide_names_everything_at_the_top_of_a_run(folders):
    guide = (ROOT / "docs/guide/runs.md").read_text("utf-8")
    for path in (path for folder in folders for path in folder.iterdir()):
        assert f"`{path.name}{'/' if path.is_dir() else ''}`" in guide, path.name
