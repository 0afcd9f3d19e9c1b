"""The list of the papers' tables and figures: whole, true, and worked out from what is stored."""

import re
from pathlib import Path

import msgspec
import pytest

from covey.cli.main import main
from covey.errors import ConfigError
from covey.reproduce import Item, all_experiments, papers, places, standing
from covey.reproduce.papers import agreement, experiment_of

CHECKOUT = places.experiments_root()
TABLE = """title = "A table"
paper = "Nobody, 1900"
protocol = "as it comes"
[[rows]]
id = "a"
labels = {}
algorithm = "most-popular"
data = "synthetic:village"
theirs = { "hr@10" = 0.5 }
[[rows]]
id = "b"
labels = {}
algorithm = "most-popular"
data = "gowalla"
theirs = { "hr@10" = 0.5 }
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "experiments"
    (folder / "nobody").mkdir(parents=True)
    (folder / "nobody/table-1.toml").write_text(TABLE)
    (folder / "papers.toml").write_text(
        '[nobody]\npaper = "Nobody, 1900"\nitems = [\n'
        '  { id = "table-1", title = "of our own" },\n'
        '  { id = "figure-1", title = "a drawing", nothing = "a drawing" },\n'
        '  { id = "figure-2", title = "of theirs", needs = "telepathy" },\n'
        '  { id = "figure-3", title = "plots of it", by = "nobody/table-1" },\n]\n'
    )
    monkeypatch.setattr(places, "experiments_root", lambda: folder)
    return folder


def store(root: Path, *rows: dict) -> None:
    (root / "results/nobody").mkdir(parents=True, exist_ok=True)
    (root / "results/nobody/table-1.json").write_bytes(msgspec.json.encode({"rows": rows, "updated": "2026"}))


def row(root: Path, id: str, hr: float | None = None, **more) -> dict:
    from covey.reproduce.experiment import digest
    from covey.reproduce.places import experiment_named

    asked = next(each for each in experiment_named("nobody/table-1").rows if each.id == id)
    known = {"id": id, "theirs": asked.theirs, "digest": digest(asked), "people_evaluated": 10_000}
    if hr is None:
        return {**known, "state": "needs data", "why": "needs gowalla", "ours": {}}
    return {**known, "state": "done", "ours": {"hr@10": {"mean": hr, "sd": None, "seeds": {"1": hr}}}, **more}


def test_every_table_and_figure_with_an_experiment_is_in_the_list():
    listed = {
        experiment_of(folder, item) for folder, paper in papers(CHECKOUT).items() for item in paper.items
    }
    of_papers = re.compile(r"(fedncf|fpl|fedsplit|fedq|fcf)/(table|figure)-\d+$")
    assert [name for name in all_experiments(CHECKOUT) if of_papers.match(name) and name not in listed] == []


@pytest.mark.parametrize(
    ("folder", "tables", "figures"),
    [("fedncf", 8, 8), ("fpl", 2, 1), ("fedsplit", 3, 4), ("fedq", 8, 23), ("fcf", 2, 3)],
)
def test_the_list_has_every_number_of_a_table_and_a_figure_once(folder: str, tables: int, figures: int):
    ids = [item.id for item in papers(CHECKOUT)[folder].items]
    assert ids == [f"table-{n + 1}" for n in range(tables)] + [f"figure-{n + 1}" for n in range(figures)]


def test_every_item_of_the_list_has_a_state():
    for folder, paper in papers(CHECKOUT).items():
        for item in paper.items:
            assert standing(folder, item, CHECKOUT).startswith(
                ("reproduced", "built: ", "differs: ", "not yet: ", "no number: ")
            )


def test_a_state_follows_from_what_is_stored(root: Path):
    table, drawing, theirs, plots = papers()["nobody"].items
    assert standing("nobody", drawing) == "no number: a drawing"
    assert standing("nobody", theirs) == "not yet: needs telepathy"
    assert standing("nobody", table) == standing("nobody", plots) == "not yet: 0 of 2 rows"

    store(root, row(root, "a", 0.51))
    assert standing("nobody", table) == "not yet: 1 of 2 rows"
    store(root, row(root, "a", 0.51), row(root, "b", 0.49))
    assert standing("nobody", table) == standing("nobody", plots) == "reproduced"
    store(root, row(root, "a", 0.51), row(root, "b"))
    assert standing("nobody", table) == "reproduced; needs gowalla"
    store(root, row(root, "a", 0.51), row(root, "b", 0.7))
    assert standing("nobody", table) == "differs: 1 of 2 numbers as published"
    known = msgspec.structs.replace(table, differs="they count otherwise")
    assert standing("nobody", known) == "differs: 1 of 2 numbers as published; they count otherwise"
    store(root, row(root, "a", 0.51), row(root, "b", 0.5, digest="other"))
    assert standing("nobody", table) == "not yet: 1 of 2 rows", "a row of other settings is not this table's"


def test_as_published_is_within_a_twentieth_or_two_standard_errors():
    def one(ours: float, theirs: float | str, people: int, metric: str = "hr@10") -> tuple[int, int]:
        figure = {metric: {"mean": ours}}
        return agreement([{"ours": figure, "theirs": {metric: theirs}, "people_evaluated": people}])

    assert one(0.524, 0.5, 1_000_000) == (1, 1)
    assert one(0.526, 0.5, 1_000_000) == (0, 1)
    assert one(0.58, 0.5, 100) == (1, 1), "a hundred people vary by five points"
    assert one(0.58, 0.5, 100, "ndcg@10") == (0, 1)
    assert one(0.5, ".50", 100) == (1, 1)
    assert one(0.5, "n/a", 100) == (0, 0)


def test_the_command_lists_papers_first_and_then_the_rest(root: Path, capsys: pytest.CaptureFixture[str]):
    (root / "ours").mkdir()
    (root / "ours/more.toml").write_text(TABLE)
    assert main(["reproduce", "--list"]) == 0
    listed = capsys.readouterr().out
    lines = [line for line in listed.splitlines() if line.strip()]
    assert lines[0] == "Nobody, 1900"
    assert "not yet: needs telepathy" in listed
    assert lines[-1].startswith("ours/more")
    assert "0 of 2 rows" in lines[-1]


def test_a_damaged_list_is_one_sentence(root: Path):
    (root / "papers.toml").write_text('[nobody]\npaper = "N"\nitems = [{ id = "table-1" }]\n')
    with pytest.raises(ConfigError, match=r"papers.toml: expected a list of papers.*title"):
        papers()
    assert Item(id="a", title="b").needs == ""
