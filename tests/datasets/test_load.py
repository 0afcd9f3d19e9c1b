"""Datasets by name: where they are looked for, how they are fetched, and what is said when they are nowhere."""

import hashlib
import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from covey.datasets import get, info, listing, load, named
from covey.datasets.sources import SOURCES
from covey.errors import ConfigError, DataError

RATINGS = "1::1193::5::978300760\n2::661::3::978302109\n"
MOVIES = "661::Jam (1996)::Children's\n1193::Nest (1975)::Drama\n"
FILES = {"ml-1m/ratings.dat": RATINGS, "ml-1m/movies.dat": MOVIES, "ml-1m/README": "not wanted"}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no $COVEY_DATA."""
    monkeypatch.delenv("COVEY_DATA", raising=False)
    monkeypatch.setattr("covey.datasets.places.cache_root", lambda: tmp_path / "cache")
    monkeypatch.setattr("covey.datasets.named.cache_root", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def archive(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as into:
        for name, text in files.items():
            into.writestr(name, text)
    return packed.getvalue()


def publish(monkeypatch: pytest.MonkeyPatch, content: bytes, rows: int = 2) -> Callable[[str, Path], None]:
    """Makes ml-1m as small as `content`, and returns a fetch that delivers it."""
    checksum = "md5:" + hashlib.md5(content).hexdigest()
    small = replace(SOURCES["ml-1m"], people=2, items=2, rows=rows, checksum=checksum)
    monkeypatch.setitem(named.SOURCES, "ml-1m", small)

    def fetch(url: str, target: Path) -> None:
        assert url == "https://files.grouplens.org/datasets/movielens/ml-1m.zip"
        target.write_bytes(content)

    return fetch


def no_network(url: str, target: Path) -> None:
    raise ConnectionError("no route to host")


def refuse(url: str, target: Path) -> None:
    raise AssertionError(f"{url} should not be asked for")


def place(folder: Path, ratings: str = RATINGS) -> Path:
    folder.mkdir(parents=True)
    (folder / "ratings.dat").write_text(ratings)
    (folder / "movies.dat").write_text(MOVIES)
    return folder


def test_the_given_path_comes_first(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COVEY_DATA", str(tmp_path / "shared"))
    place(tmp_path / "shared" / "ml-1m")
    mine = place(tmp_path / "mine", "9::661::1::978300760\n")
    assert load("ml-1m", path=mine, fetch=refuse).person_ids.to_list() == [9]


def test_covey_data_comes_before_the_cache(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COVEY_DATA", str(tmp_path / "shared"))
    place(tmp_path / "shared" / "ml-1m", "9::661::1::978300760\n")
    place(cache / "ml-1m")
    assert load("ml-1m", fetch=refuse).person_ids.to_list() == [9]


def test_the_cache_comes_before_the_network(cache: Path) -> None:
    place(cache / "ml-1m")
    assert len(load("ml-1m", fetch=refuse)) == 2


def test_a_given_path_without_the_files_is_not_passed_over(cache: Path, tmp_path: Path) -> None:
    place(cache / "ml-1m")
    (tmp_path / "ratings.dat").write_text(RATINGS)
    with pytest.raises(
        DataError, match=r"expected ratings\.dat, movies\.dat, but the path: .* lacks movies\.dat"
    ):
        load("ml-1m", path=tmp_path, fetch=refuse)


def test_data_that_is_not_all_of_what_was_published_has_a_note(cache: Path) -> None:
    place(cache / "ml-1m")
    published = "6,040 people, 3,706 items and 1,000,209 rows"
    assert load("ml-1m").notes == (f"This is not ml-1m as published, which has {published}.",)


def test_offline_the_error_names_every_place_that_was_looked_at(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COVEY_DATA", str(tmp_path))
    with pytest.raises(DataError) as raised:
        load("ml-1m", fetch=no_network)
    said = str(raised.value)
    assert f"$COVEY_DATA: no folder {tmp_path / 'ml-1m'}" in said
    assert f"the cache: no folder {cache / 'ml-1m'}" in said
    assert "files.grouplens.org/datasets/movielens/ml-1m.zip failed: no route to host" in said
    assert "put ratings.dat, movies.dat into one of these folders" in said


def test_a_source_that_nobody_offers_says_so(cache: Path) -> None:
    with pytest.raises(DataError, match=r"\$COVEY_DATA is not set; .* it has no public download"):
        load("foursquare-italy", fetch=refuse)


def test_a_download_is_kept_and_not_fetched_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch = publish(monkeypatch, archive(FILES))
    assert len(load("ml-1m", fetch=fetch)) == 2
    assert sorted(file.name for file in (cache / "ml-1m").iterdir()) == ["movies.dat", "ratings.dat"]
    assert load("ml-1m", fetch=refuse).notes == ()
    assert get("ml-1m", fetch=refuse) == cache / "ml-1m"


def test_get_returns_the_folder_of_what_it_fetched(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert get("ml-1m", fetch=publish(monkeypatch, archive(FILES))) == cache / "ml-1m"
    assert (cache / "ml-1m" / "ratings.dat").read_text() == RATINGS


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


@pytest.mark.parametrize(
    ("content", "rows", "said"),
    [
        (cut(archive(FILES)), 2, "expected a whole zip archive"),
        (archive({"ml-1m/ratings.dat": RATINGS}), 2, r"expected movies\.dat in the download, got none"),
        (archive(FILES), 3, "expected 2 people, 2 items and 3 rows in the download, got 2, 2 and 2"),
        (archive({**FILES, "ml-1m/ratings.dat": "1::2\n"}), 2, "line 1: expected 4 fields, got 2"),
    ],
)
def test_a_download_that_is_not_whole_leaves_nothing_behind(
    cache: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, rows: int, said: str
) -> None:
    with pytest.raises(DataError, match=said):
        load("ml-1m", fetch=publish(monkeypatch, content, rows))
    assert list(cache.iterdir()) == []


def test_another_archive_than_the_published_one_is_refused(cache: Path) -> None:
    def fetch(url: str, target: Path) -> None:
        target.write_bytes(archive(FILES))

    with pytest.raises(
        DataError, match="expected an archive with md5 c4d9eecfca2ab87c1945afe126590906, got "
    ):
        load("ml-1m", fetch=fetch)
    assert list(cache.iterdir()) == []


def test_a_break_during_a_download_leaves_nothing_behind(cache: Path) -> None:
    def fetch(url: str, target: Path) -> None:
        target.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load("ml-1m", fetch=fetch)
    assert list(cache.iterdir()) == []


def test_an_archive_cannot_choose_where_its_files_go(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"../../ratings.dat": RATINGS, "/movies.dat": MOVIES}
    load("ml-1m", fetch=publish(monkeypatch, archive(files)))
    assert sorted(file.name for file in (cache / "ml-1m").iterdir()) == ["movies.dat", "ratings.dat"]
    assert [file.name for file in cache.parent.iterdir()] == ["cache"]


def test_a_download_replaces_an_incomplete_folder(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "ml-1m").mkdir(parents=True)
    (cache / "ml-1m" / "ratings.dat").write_text("1::2")
    assert len(load("ml-1m", fetch=publish(monkeypatch, archive(FILES)))) == 2


def test_a_cache_that_cannot_be_made_says_what_to_do(cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    with pytest.raises(
        DataError, match=r"expected to write to .*cache, got .*; free some space or set \$COVEY_DATA"
    ):
        load("ml-1m", fetch=refuse)


def test_an_unknown_name_brings_the_nearest_known_one() -> None:
    for ask in (load, info, get):
        with pytest.raises(ConfigError, match=r"unknown dataset 'ml-1n'; did you mean 'ml-1m'\?"):
            ask("ml-1n")


def test_a_path_in_place_of_a_name_is_read_as_a_table(tmp_path: Path) -> None:
    (tmp_path / "plays.csv").write_text("user,item\n1,2\n")
    assert load(str(tmp_path / "plays.csv")).name == "plays"


def test_a_synthetic_town_is_made_from_the_seed() -> None:
    one, same, other = (load("synthetic:village", seed=seed) for seed in (1, 1, 2))
    assert one.item.tolist() == same.item.tolist()
    assert one.item.tolist() != other.item.tolist()


def test_a_synthetic_town_has_no_files_to_get() -> None:
    with pytest.raises(ConfigError, match="'synthetic:village', which is made on the spot"):
        get("synthetic:village", fetch=refuse)


def test_every_dataset_in_the_list_can_be_asked_about(cache: Path) -> None:
    for known in listing():
        assert info(known.name) == known
        assert known.about
        assert known.licence
        assert min(known.people, known.items, known.rows) > 0
        assert known.found is None
    assert {"ml-1m", "gowalla", "synthetic:village"} <= {known.name for known in listing()}


def test_info_says_where_a_dataset_lies(cache: Path) -> None:
    folder = place(cache / "ml-1m")
    assert info("ml-1m").found == folder
