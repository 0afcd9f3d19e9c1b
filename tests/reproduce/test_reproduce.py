"""Published tables built again: on a village, with numbers that nobody published."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from covey.algorithms.registry import ALGORITHMS, algorithm_class
from covey.cli.main import main
from covey.errors import BadInput, ConfigError
from covey.reproduce import (
    all_experiments,
    experiment_named,
    places,
    read_stored,
    rebuild,
    rendered,
    state_of,
)
from covey.reproduce.experiment import Experiment, Row, digest
from covey.reproduce.rebuild import seeds_of
from covey.reproduce.results import gathered, merged_row
from covey.runs import Run
from covey.runs.settings import RunSettings, younger_keys

HEAD = 'title = "Our table"\npaper = "Nobody, 1900"\nprotocol = "as it comes"\n'
TABLE = f"""{HEAD}
[settings.fedncf]
factors = 4
people_per_round = 20
global_rounds = 2
workers = 1

[settings."fedncf on synthetic:village"]
negatives = 3

[[rows]]
id = "village-gmf"
labels = {{ dataset = "Village", model = "FedGMF" }}
algorithm = "fedncf"
data = "synthetic:village"
theirs = {{ "hr@10" = 0.5 }}

[[rows]]
id = "village-popular"
labels = {{ dataset = "Village", model = "most popular" }}
algorithm = "most-popular"
data = "synthetic:village"

[[rows]]
id = "gowalla-gmf"
labels = {{ dataset = "Gowalla", model = "FedGMF" }}
algorithm = "fedncf"
data = "gowalla"
theirs = {{ "hr@10" = 0.9 }}

[[rows]]
id = "elsewhere"
labels = {{ dataset = "Village", model = "their other model" }}
theirs = {{ "hr@10" = 0.7 }}
"""
FIGURE = f'{HEAD}metrics = ["hr@10"]\ncurves = true\nrows_of = "ours/table"\n'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of experiments, in which the test is; no real dataset can be found from there."""
    (tmp_path / "experiments/ours").mkdir(parents=True)
    (tmp_path / "experiments/ours/table.toml").write_text(TABLE)
    (tmp_path / "experiments/ours/figure.toml").write_text(FIGURE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COVEY_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(places, "experiments_root", lambda: tmp_path / "experiments")
    return tmp_path


class Watched:
    """Counts the runs that are trained, and can stop one in its middle."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.trained: list[str] = []
        self.said: list[str] = []
        self.stop_at = stop_at

    @contextmanager
    def watch(self, run: Run) -> Iterator[Callable[[Run], None]]:
        self.trained.append(run.path.name)

        def on_round(run: Run) -> None:
            if run.session.round == self.stop_at:
                raise KeyboardInterrupt

        yield on_round

    def rebuild(self, name: str, **asked) -> dict:
        path = rebuild(experiment_named(name), watch=self.watch, say=self.said.append, **asked)
        return read_stored(path)


def by_id(stored: dict) -> dict[str, dict]:
    return {row["id"]: row for row in stored["rows"]}


def test_a_row_holds_ours_beside_theirs_with_what_it_cost(root: Path):
    rows = by_id(Watched().rebuild("ours/table"))
    row = rows["village-gmf"]

    assert row["state"] == "done"
    assert row["labels"] == {"dataset": "Village", "model": "FedGMF"}
    assert row["theirs"] == {"hr@10": 0.5}
    ours = row["ours"]["hr@10"]
    assert ours == {"mean": ours["seeds"]["1"], "sd": None, "seeds": {"1": ours["mean"]}}
    assert (row["rounds"], row["global_rounds"], row["people_evaluated"]) == (6, 2.0, 60)
    assert row["upload_bytes_per_person"] == pytest.approx(2000 * row["ours"]["upload_kb_a_round"]["mean"])
    assert row["seconds"] > 0
    assert row["settings"]["negatives"] == 3, "those of its algorithm on its data"
    assert row["command"].startswith("covey train fedncf --data synthetic:village --seed 1 --set ")


def test_a_row_whose_data_is_not_at_hand_is_told_and_left_out(root: Path):
    watched = Watched()
    stored = watched.rebuild("ours/table")

    row = by_id(stored)["gowalla-gmf"]
    assert (row["state"], row["why"], row["ours"]) == ("needs data", "needs gowalla", {})
    assert any("covey datasets get gowalla" in line for line in watched.said)
    assert "needs gowalla" in rendered(stored)
    assert len(watched.trained) == 2


def test_a_number_that_was_only_published_stands_beside_ours(root: Path):
    stored = Watched().rebuild("ours/table")
    assert by_id(stored)["elsewhere"]["state"] == "published only"
    line = next(line for line in rendered(stored).splitlines() if "their other model" in line)
    assert "0.7" in line


def test_what_is_done_is_not_done_again(root: Path):
    Watched().rebuild("ours/table")
    again = Watched()
    again.rebuild("ours/table")
    assert again.trained == []


def test_an_interrupted_row_keeps_the_others_and_goes_on_where_it_was(root: Path):
    unbroken = by_id(Watched().rebuild("ours/table", runs=root / "unbroken"))["village-gmf"]["ours"]
    (root / "experiments/results/ours/table.json").unlink()
    Watched().rebuild("ours/table", only="popular")
    with pytest.raises(KeyboardInterrupt):
        Watched(stop_at=3).rebuild("ours/table")
    assert list(by_id(read_stored(root / "experiments/results/ours/table.json"))) == ["village-popular"]

    resumed = Watched()
    rows = by_id(resumed.rebuild("ours/table"))
    assert len(resumed.trained) == 1
    assert rows["village-gmf"]["ours"] == unbroken


def test_only_takes_the_rows_with_the_text_in_their_id_or_labels(root: Path):
    assert list(by_id(Watched().rebuild("ours/table", only="MOST pop"))) == ["village-popular"]
    with pytest.raises(BadInput, match="no row with 'nowhere' in it; its rows: village-gmf"):
        Watched().rebuild("ours/table", only="nowhere")


def test_more_seeds_add_to_those_that_are_stored(root: Path):
    Watched().rebuild("ours/table", only="village-gmf")
    more = Watched()
    ours = by_id(more.rebuild("ours/table", only="village-gmf", seeds=3))["village-gmf"]["ours"]["hr@10"]

    assert len(more.trained) == 2
    assert list(ours["seeds"]) == ["1", "2", "3"]
    assert ours["mean"] == pytest.approx(sum(ours["seeds"].values()) / 3)
    assert ours["sd"] is not None


def test_a_figure_shares_the_runs_of_its_table_and_keeps_their_curves(root: Path):
    Watched().rebuild("ours/table", only="village-gmf")
    figure = Watched()
    stored = figure.rebuild("ours/figure", only="village-gmf")

    assert figure.trained == []
    curve = by_id(stored)["village-gmf"]["curve"]
    assert curve["global_round"] == [0.0, 1.0, 2.0]
    assert len(curve["hr@10"]) == 3
    assert curve["hr@10"][-1] == by_id(stored)["village-gmf"]["ours"]["hr@10"]["mean"]
    assert "after so many global rounds" in rendered(stored)


def test_a_changed_setting_starts_a_new_run_and_makes_the_stored_row_stale(root: Path):
    stored = Watched().rebuild("ours/table")
    changed = TABLE.replace("global_rounds = 2", "global_rounds = 1")
    (root / "experiments/ours/table.toml").write_text(changed)
    state = state_of(experiment_named("ours/table"), stored)
    assert (state.done, state.stale, state.to_do) == (1, 1, 3)

    again = Watched()
    row = by_id(again.rebuild("ours/table"))["village-gmf"]
    assert len(again.trained) == 1
    assert row["global_rounds"] == 1.0


def test_a_stored_number_outlives_the_data_it_came_from():
    measured = {"id": "a", "state": "done", "digest": "1", "ours": {"hr@10": gathered({"1": 0.4})}}
    missing = {"id": "a", "state": "needs data", "digest": "1", "ours": {}, "why": "needs it"}
    assert merged_row(measured, missing) == measured
    assert merged_row(missing, measured) == measured
    assert merged_row(None, missing) == missing


def test_equal_runs_have_equal_digests_however_they_are_written():
    def row(**settings) -> str:
        return digest(Row(id="a", labels={}, algorithm="fedncf", data="ml-1m", settings=settings))

    assert row() == row(factors=12)
    assert row(hidden="48,24,12,6") == row(hidden=[48, 24, 12, 6])
    assert row(seed=3, workers=2) == row()
    assert row(factors=8) != row()


def test_a_key_that_came_later_leaves_the_digest_of_what_was_stored_before():
    """110ef9bd: what this row had before min_item_rows and lowest_value existed."""

    def row(**settings) -> str:
        return digest(Row(id="a", labels={}, algorithm="most-popular", data="ml-1m", settings=settings))

    assert row() == row(min_item_rows=0, lowest_value=0) == "110ef9bd"
    assert len({row(), row(min_item_rows=20), row(lowest_value=1), row(min_rows=20)}) == 4


def test_a_key_that_is_younger_than_stored_results_counts_where_it_is_not_at_its_default():
    def row(**settings) -> str:
        return digest(Row(id="a", labels={}, algorithm="central-ncf", data="ml-1m", settings=settings))

    assert row() == "2369c518"  # of the configuration as it was before these keys
    assert row(**younger_keys("central-ncf")) == row()
    assert row(averaging=2.0) != row()
    assert row(model="neumf", pretrain_rounds=3) != row(model="neumf")


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_younger_keys_are_keys(algorithm: str):
    configs = (algorithm_class(algorithm).Config, RunSettings)
    assert set(younger_keys(algorithm)) <= {name for each in configs for name in each.__struct_fields__}


def test_seeds_go_on_upwards_where_more_are_asked_for(root: Path):
    experiment = experiment_named("ours/table")
    assert [list(seeds_of(experiment, count)) for count in (0, 1, 3)] == [[1], [1], [1, 2, 3]]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("title = ", "expected an experiment"),
        (TABLE + "\nnonsense = 1\n", "nonsense"),
        (TABLE.replace("village-popular", "village-gmf"), "'village-gmf' twice"),
        (TABLE.replace("factors = 4", "factor = 4"), "did you mean 'factors'?"),
    ],
)
def test_a_file_that_is_no_experiment_is_refused_with_the_reason(root: Path, text: str, part: str):
    (root / "experiments/ours/table.toml").write_text(text)
    with pytest.raises(ConfigError) as refused:
        Watched().rebuild("ours/table")
    assert part in str(refused.value)


def test_the_command_prints_the_table_stores_it_and_shows_it_again(
    root: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["reproduce", "ours/table", "--quiet"]) == 0
    printed = capsys.readouterr().out
    assert "| Village | FedGMF | HR@10 |" in printed
    assert "experiments/results/ours/table.json" in printed

    assert main(["reproduce", "ours/table", "--stored"]) == 0
    assert capsys.readouterr().out.strip() in printed
    assert main(["reproduce", "--list"]) == 0
    listed = capsys.readouterr().out
    assert "2 of 3 rows" in listed
    assert "not yet" in listed

    assert main(["reproduce", "ours/figure", "--stored"]) == 2
    assert "no stored result of ours/figure" in capsys.readouterr().err


def test_results_of_an_installed_package_are_written_below_the_folder_one_is_in(root: Path, monkeypatch):
    package = root / "installed/covey"
    (package / "experiments/results/ours").mkdir(parents=True)
    (package / "experiments/results/ours/table.json").write_text('{"rows": []}')
    monkeypatch.setattr(places.covey, "__file__", str(package / "__init__.py"))
    monkeypatch.setattr(places, "experiments_root", lambda: package / "experiments")

    assert places.results_folder() == Path("experiments/results")
    (root / "experiments/ours").rename(package / "experiments/ours")
    assert places.stored_path("ours/table") == package / "experiments/results/ours/table.json"
    Watched().rebuild("ours/table", only="popular")
    assert places.stored_path("ours/table") == Path("experiments/results/ours/table.json")


CHECKOUT = places.experiments_root()


@pytest.mark.parametrize("name", all_experiments(CHECKOUT))
def test_every_experiment_of_ours_can_be_read_and_every_row_can_be_run(name: str):
    experiment = experiment_named(name, CHECKOUT)
    assert experiment.rows
    for row in experiment.rows:
        assert row.algorithm == "" or len(digest(row)) == 8
        assert row.algorithm or row.theirs, f"{row.id} is neither run nor published"


def test_the_published_numbers_of_table_5_are_the_papers():
    experiment: Experiment = experiment_named("fedncf/table-5", CHECKOUT)
    published = {row.id: row.theirs["hr@10"] for row in experiment.rows}
    assert [published[f"ml-1m-{averaging}"] for averaging in ("per-item", "weighted", "simple")] == [
        0.56,
        0.54,
        0.52,
    ]
    assert len(published) == 12
