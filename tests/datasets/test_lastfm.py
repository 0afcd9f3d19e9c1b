"""Tag events -> who has which artist since when."""

from pathlib import Path

import pytest

from covey.datasets.sources.lastfm import read_lastfm
from covey.errors import DataError

HEADER = "userID\tartistID\ttagID\tday\tmonth\tyear\n"
DAY_S = 86_400
FIRST_OF_APRIL_2009 = 1_238_544_000


def write(
    folder: Path, events: list[tuple[int, ...]], artists: bytes = b"1\tOne\thttp://x\thttp://y\n"
) -> Path:
    lines = "".join("\t".join(map(str, event)) + "\n" for event in events)
    (folder / "user_taggedartists.dat").write_text(HEADER + lines)
    (folder / "artists.dat").write_bytes(b"id\tname\turl\tpictureURL\n" + artists)
    return folder


def five_artists(person: int) -> list[tuple[int, ...]]:
    return [(person, artist, 9, 2, 4, 2009) for artist in range(1, 6)]


def test_an_artist_counts_once_from_the_day_of_the_first_tag(tmp_path: Path) -> None:
    data = read_lastfm(write(tmp_path, [*five_artists(2), (2, 3, 8, 1, 4, 2009)]))
    assert len(data) == 5
    assert data.time.tolist() == [
        FIRST_OF_APRIL_2009 + (0 if artist == 3 else DAY_S) for artist in range(1, 6)
    ]
    assert data.value.tolist() == [1] * 5
    assert any("repeat a (person, item): 1, dropped" in note for note in data.notes)


def test_people_with_under_five_artists_are_removed_with_their_artists(tmp_path: Path) -> None:
    few = [(3, 77, tag, 1, 4, 2009) for tag in range(6)]  # six tags, one artist
    data = read_lastfm(write(tmp_path, [*few, *five_artists(2)]))
    assert data.person_ids.to_list() == [2]
    assert data.item_ids.to_list() == [1, 2, 3, 4, 5]
    assert any("under 5 rows: 1, removed" in note for note in data.notes)


@pytest.mark.parametrize("day", [(1, 6, 1956), (1, 1, 9999), (31, 2, 2009), (0, 0, 0)])
def test_an_unlikely_day_loses_to_a_likely_one_and_is_never_the_latest(
    tmp_path: Path, day: tuple[int, ...]
) -> None:
    data = read_lastfm(write(tmp_path, [*five_artists(2), (2, 1, 8, *day), (2, 6, 8, *day)]))
    assert data.time[0] == FIRST_OF_APRIL_2009 + DAY_S
    assert data.item_ids[int(data.item[data.time.argmin()])] == 6
    assert any("outside 2002-2011: 2;" in note for note in data.notes)


def test_bytes_that_are_not_utf_8_do_not_stop_the_titles(tmp_path: Path) -> None:
    data = read_lastfm(
        write(tmp_path, five_artists(2), b"1\tBj\xf6rk\tu\tp\n2\tSigur R\xc3\xb3s\tu\tp\nbroken\n")
    )
    assert data.titles[0].startswith("Bj")
    assert data.titles[1:] == ["Sigur Rós", "3", "4", "5"]


def test_a_cut_event_is_named_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, five_artists(2))
    with (tmp_path / "user_taggedartists.dat").open("a") as file:
        file.write("2\t7\t1\t1")
    with pytest.raises(DataError, match=r"user_taggedartists\.dat, line 7: expected 6 fields, got 4"):
        read_lastfm(tmp_path)


def test_a_town_where_nobody_has_five_artists_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected somebody with 5 rows or more, got 4"):
        read_lastfm(write(tmp_path, five_artists(2)[:4]))
