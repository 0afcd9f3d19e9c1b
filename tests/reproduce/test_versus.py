"""Rows held against rows: the difference in percent and the posterior, stored, told and drawn."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from covey.errors import ConfigError
from covey.reproduce import experiment_named, places, read_stored, rebuild, rendered
from covey.reproduce.versus import differences, posterior_of

EXPERIMENT = """title = "Ours"
paper = "Nobody, 1900"
protocol = "as it comes"
seeds = [1, 2]
rope = 0.05
metrics = ["recall@10"]
[[rows]]
id = "popular"
labels = { system = "most popular" }
algorithm = "most-popular"
data = "synthetic:village"
settings = { split = "random-person" }
[[rows]]
id = "random"
against = "popular"
labels = { system = "random" }
algorithm = "random"
data = "synthetic:village"
settings = { split = "random-person" }
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "experiments/ours").mkdir(parents=True)
    (tmp_path / "experiments/ours/table.toml").write_text(EXPERIMENT)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(places, "experiments_root", lambda: tmp_path / "experiments")
    return tmp_path


def row(id: str, *values: float, against: str = "") -> dict:
    seeds = {str(n + 1): value for n, value in enumerate(values)}
    return {"id": id, "against": against, "settings": {"share": 0.8}, "ours": {"recall@10": {"seeds": seeds}}}


def test_a_difference_by_hand_over_the_seeds_that_both_have():
    rows = [row("central", 0.2, 0.4, 0.9), row("federated", 0.21, 0.36, against="central")]
    (found,) = differences(rows, ["recall@10", "hr@10"], rope=0.05)
    assert (found["id"], found["against"], found["seeds"]) == ("federated", "central", 2)
    assert found["percent"] == pytest.approx(5)
    posterior = posterior_of(found)
    assert posterior is not None
    assert posterior.mean == pytest.approx(-0.015)
    # Of 80/20 splits the correlation is 0.2: sd^2 (1/2 + 0.2/0.8) with sd^2 = 0.05^2 / 2.
    assert posterior.scale**2 == pytest.approx(0.05**2 / 2 * 0.75)
    assert posterior.worse + posterior.equal + posterior.better == pytest.approx(1)


def test_one_seed_has_a_difference_and_no_posterior():
    (found,) = differences([row("a", 0.2), row("b", 0.1, against="a")], ["recall@10"], rope=0.01)
    assert (found["percent"], found["posterior"]) == (50, None)
    assert posterior_of(found) is None


def test_a_rebuilt_table_tells_and_draws_its_differences(root: Path):
    path = rebuild(experiment_named("ours/table"), watch=lambda run: nullcontext(), say=lambda text: None)
    stored = read_stored(path)
    assert [(each["id"], each["against"]) for each in stored["differences"]] == [("random", "popular")]
    text = rendered(stored)
    assert "## Differences" in text
    assert "P(within ±0.05)" in text
    assert "(table/random-recall-at-10.svg)" in text
    assert path.with_suffix("").joinpath("random-recall-at-10.svg").read_text().startswith("<svg")


def test_a_row_against_nobody_is_refused(root: Path):
    wrong = EXPERIMENT.replace('against = "popular"', 'against = "popluar"')
    (root / "experiments/ours/table.toml").write_text(wrong)
    with pytest.raises(ConfigError, match="expected the id of a row to test against, got 'popluar'"):
        experiment_named("ours/table")
