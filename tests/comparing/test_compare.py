"""A comparison is paired runs, read by tests; it goes on where it stopped."""

import json
import re
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from small_comparisons import VILLAGE, compared

import covey
from covey.cli.main import main
from covey.comparing import Comparison, open_comparison
from covey.comparing.command import command
from covey.comparing.entries import Entry
from covey.comparing.varied import varied, varied_key
from covey.errors import ConfigError, RunError
from covey.evaluation.significance import bayesian_correlated, holm, paired_t


def figures(comparison: Comparison) -> dict:
    """What was found, without what the machine's clock says."""
    found = json.loads((comparison.path / "report.json").read_text())
    for standing in found["standings"]:
        standing.pop("seconds")
    found["asked"].pop("created")
    return found


def test_all_entries_of_a_repeat_have_its_seed_its_split_and_its_people(whole: Comparison):
    for seed in (3, 4):
        runs = [covey.runs.read_run(whole.path_of(seed, name)) for name in ("fedncf", "wide", "most-popular")]
        assert {run.config["seed"] for run in runs} == {seed}
        assert len({run.summary["split"] for run in runs}) == 1
        people = [pl.read_parquet(run.path / "devices/values.parquet")["person"].to_list() for run in runs]
        assert people[0] == people[1] == people[2]
        assert [run.config.get("factors") for run in runs] == [2, 5, None]


def test_a_run_of_a_comparison_is_the_run_that_train_makes(whole: Comparison, tmp_path: Path):
    alone = covey.train(
        "fedncf",
        VILLAGE,
        out=tmp_path / "run",
        people_per_round=20,
        global_rounds=2,
        factors=5,
        workers=1,
        seed=4,
    )
    within = covey.runs.read_run(whole.path_of(4, "wide"))
    assert alone.metrics.drop("seconds").equals(within.metrics.drop("seconds"))


def test_standings_are_sorted_by_the_metric_with_means_and_spreads_over_repeats(whole: Comparison):
    found = whole.verdict()
    means = [standing.figures["hr@10"].mean for standing in found.standings]
    assert means == sorted(means, reverse=True)
    for standing in found.standings:
        values = [
            covey.runs.read_run(whole.path_of(seed, standing.name)).summary["metrics"]["hr@10"]
            for seed in (3, 4)
        ]
        figure = standing.figures["hr@10"]
        assert figure.by_repeat == values
        assert figure.mean == pytest.approx(np.mean(values))
        assert figure.sd == pytest.approx(np.std(values, ddof=1))


def test_the_tests_are_those_of_the_stored_values(whole: Comparison):
    found = whole.verdict()

    def of(name: str, seed: int) -> np.ndarray:
        values = pl.read_parquet(whole.path_of(seed, name) / "devices/values.parquet")
        return values["hr@10"].to_numpy()

    pairs = [(pair.first, pair.second) for pair in found.pairs]
    people = {name: (of(name, 3) + of(name, 4)) / 2 for name in ("fedncf", "wide", "most-popular")}
    tests = [paired_t(people[a], people[b]) for a, b in pairs]
    assert [pair.people for pair in found.pairs] == tests
    assert [pair.people_p for pair in found.pairs] == holm([test.p for test in tests])
    overlap = found.asked.test_to_train
    assert overlap == pytest.approx(60 / (len(VILLAGE) - 60))
    for pair in found.pairs:
        ours, theirs = ([of(name, seed).mean() for seed in (3, 4)] for name in (pair.first, pair.second))
        assert pair.difference == pytest.approx(np.mean(ours) - np.mean(theirs))
        assert pair.corrected.t == pytest.approx(paired_t(ours, theirs, overlap=overlap).t)
        assert pair.repeats.t == pytest.approx(paired_t(ours, theirs).t)
        bayes = bayesian_correlated(ours, theirs, rope=0.01, correlation=overlap / (1 + overlap))
        assert pair.bayes.better == pytest.approx(bayes.better)
        assert [test.p for test in pair.each_repeat] == [
            paired_t(of(pair.first, seed), of(pair.second, seed)).p for seed in (3, 4)
        ]
    for repeat in (0, 1):
        adjusted = holm([pair.each_repeat[repeat].p for pair in found.pairs])
        assert [pair.each_repeat_p[repeat] for pair in found.pairs] == adjusted


def test_letters_are_shared_exactly_by_those_that_cannot_be_told_apart(whole: Comparison):
    found = whole.verdict()
    letters = {standing.name: set(standing.figures["hr@10"].letters) for standing in found.standings}
    for pair in found.pairs:
        assert pair.distinguishable == (pair.people_p < 0.05)
        assert pair.distinguishable == (not letters[pair.first] & letters[pair.second])


def test_metrics_of_all_lists_are_tested_over_repeats_alone(whole: Comparison):
    found = open_comparison(whole.path, VILLAGE, metric="coverage@10", test="repeats").verdict()
    assert found.standings[0].figures["coverage@10"].letters
    assert all(pair.people is None and pair.corrected is not None for pair in found.pairs)


def test_an_error_is_better_the_lower_it_is():
    from covey.reports.facts import lower_is_better

    assert [lower_is_better(name) for name in ("rmse", "mse", "hr@10", "gini@10")] == [
        True,
        True,
        False,
        False,
    ]


def test_the_report_says_the_same_as_page_markdown_and_json(whole: Comparison):
    found = whole.verdict()
    page = (whole.path / "report.html").read_text()
    markdown = (whole.path / "report.md").read_text()
    stored = json.loads((whole.path / "report.json").read_text())
    assert [standing["name"] for standing in stored["standings"]] == [each.name for each in found.standings]
    for standing in found.standings:
        text = f"{standing.figures['hr@10'].mean:.4f} ± {standing.figures['hr@10'].sd:.4f}"
        assert text in page
        assert text in markdown
    assert "Practical differences" in page
    assert "against bytes sent" in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_quality_is_drawn_against_the_one_number_in_which_entries_differ(tmp_path: Path):
    found = covey.compare(
        ["fedncf:a", "fedncf:b", "fedncf:c", "most-popular"], VILLAGE, repeats=1, out=tmp_path / "c", workers=1,
        people_per_round=20, global_rounds=1, own={"a": {"spread": 0.3}, "b": {"spread": 0.1}, "c": {"spread": 0.2}},
    ).verdict()  # fmt: skip
    (chart,) = varied(found, "hr@10")
    means = {each.name: each.figures["hr@10"].mean for each in found.standings}
    assert chart.name == "HR@10 of fedncf by spread"
    assert chart.series[0].points == ((0.1, means["b"]), (0.2, means["c"]), (0.3, means["a"]))
    assert "What one number changes" in (tmp_path / "c/report.html").read_text()


def test_it_is_not_drawn_where_entries_are_few_or_differ_in_more_or_in_words():
    def entry(**settings) -> Entry:
        return Entry(name="n", algorithm="fedncf", settings=settings)

    assert varied_key([entry(a=1, b=0), entry(a=2, b=0), entry(a=3, b=0)]) == "a"
    assert varied_key([entry(a=1), entry(a=2)]) is None
    assert varied_key([entry(a=1, b=0), entry(a=2, b=0), entry(a=3, b=1)]) is None
    assert varied_key([entry(a="x"), entry(a="y"), entry(a="z")]) is None
    assert varied_key([entry(a=True), entry(a=False), entry(a=2)]) is None


def test_a_page_has_each_id_once_and_is_balanced(whole: Comparison):
    page = (whole.path / "report.html").read_text()
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 0
    for tag in ("svg", "table", "section", "div", "figure", "p"):
        assert len(re.findall(rf"<{tag}[ >]", page)) == page.count(f"</{tag}>"), tag


def test_interrupted_anywhere_it_goes_on_to_the_same_figures(whole: Comparison, tmp_path: Path):
    trained: list[str] = []

    @contextmanager
    def stop_in_the_second_run(run):
        trained.append(run.path.name)

        def on_round(run) -> None:
            if len(trained) == 2 and run.session.round == 4:
                raise KeyboardInterrupt

        yield on_round

    with pytest.raises(KeyboardInterrupt):
        compared(tmp_path / "c", watch=stop_in_the_second_run)
    with pytest.raises(RunError, match="is not finished; go on with it by: covey compare --resume"):
        open_comparison(tmp_path / "c", VILLAGE).verdict()

    resumed = open_comparison(tmp_path / "c", VILLAGE)
    again: list[str] = []
    resumed.go_on(say=again.append)
    resumed.write()
    assert [line.rsplit(" ", 1)[1] for line in again] == [
        "wide",
        "most-popular",
        "fedncf",
        "wide",
        "most-popular",
    ]
    assert figures(resumed) == figures(whole)


def test_more_repeats_may_be_asked_of_a_finished_one(whole: Comparison, tmp_path: Path):
    shutil.copytree(whole.path, tmp_path / "c")
    more = open_comparison(tmp_path / "c", VILLAGE, repeats=3)
    said: list[str] = []
    more.go_on(say=said.append)
    assert [line.split(":")[0] for line in said] == ["repeat 3 of 3 (seed 5)"] * 3
    assert open_comparison(tmp_path / "c", VILLAGE).asked.repeats == 3
    with pytest.raises(ConfigError, match="has 3 repeats already, got 2"):
        open_comparison(tmp_path / "c", VILLAGE, repeats=2)


def test_one_repeat_has_person_by_person_tests_and_says_so(tmp_path: Path):
    found = compared(tmp_path / "c", repeats=1).verdict()
    assert all(
        pair.people is not None and pair.corrected is None and pair.bayes is None for pair in found.pairs
    )
    assert all(standing.figures["hr@10"].sd is None for standing in found.standings)
    assert any("only person-by-person tests" in note for note in found.notes)
    assert "Practical differences" not in (tmp_path / "c/report.html").read_text()


def test_people_are_paired_by_their_ids_where_each_repeat_chooses_others(tmp_path: Path):
    found = compared(tmp_path / "c", participation=0.5, people_per_round=10).verdict()
    values = [
        pl.read_parquet(tmp_path / f"c/repeats/{seed}/fedncf/devices/values.parquet") for seed in (3, 4)
    ]
    assert [len(each) for each in values] == [30, 30]
    assert 30 < found.people < 60, "some people are in both repeats, some in one"
    assert found.pairs[0].people.count == found.people
    assert "Each repeat draws its own split" in (tmp_path / "c/report.md").read_text()


def test_without_baycomp_the_rest_is_tested(whole: Comparison, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "baycomp.single", None)
    found = whole.verdict()
    assert all(pair.bayes is None and pair.corrected is not None for pair in found.pairs)
    assert any("covey[compare]" in note for note in found.notes)


def test_settings_come_from_a_file_with_a_table_an_entry(tmp_path: Path):
    (tmp_path / "c.toml").write_text(
        "factors = 3\nglobal_rounds = 1\npeople_per_round = 20\n[wide]\nfactors = 4\n"
    )
    made = covey.comparing.start_comparison(
        ["fedncf", "fedncf:wide"], VILLAGE, out=tmp_path / "c", config=tmp_path / "c.toml"
    )
    assert [entry.settings["factors"] for entry in made.asked.entries] == [3, 4]


def test_the_command_that_the_page_gives_is_the_comparison(whole: Comparison, tmp_path: Path):
    words = command(whole.asked)
    assert main([*words[1:], "--out", str(tmp_path / "again"), "-q"]) == 0
    ours, theirs = figures(open_comparison(tmp_path / "again")), figures(whole)
    assert ours["standings"] == theirs["standings"]
    assert ours["pairs"] == theirs["pairs"]
