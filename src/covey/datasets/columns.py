"""Which column of a stranger's table is the person, the item, the value, the time and the title."""

import re
from collections.abc import Sequence
from pathlib import Path

from covey.errors import DataError, unknown

# Tried in this order, whatever their case and punctuation: "userId", "user_id" and "USER ID" are all "userid".
USUAL_NAMES: dict[str, tuple[str, ...]] = {
    "person": (
        *(
            "person",
            "personid",
            "user",
            "userid",
            "uid",
            "people",
            "customer",
            "customerid",
            "client",
            "clientid",
        ),
        *("member", "memberid", "visitor", "visitorid", "account", "accountid", "reviewer", "reviewerid"),
        *("listener", "session", "sessionid"),
    ),
    "item": (
        *(
            "item",
            "itemid",
            "iid",
            "movie",
            "movieid",
            "film",
            "filmid",
            "product",
            "productid",
            "asin",
            "sku",
        ),
        *(
            "artist",
            "artistid",
            "track",
            "trackid",
            "song",
            "songid",
            "book",
            "bookid",
            "isbn",
            "venue",
            "venueid",
        ),
        *(
            "place",
            "placeid",
            "business",
            "businessid",
            "video",
            "videoid",
            "article",
            "articleid",
            "game",
            "gameid",
        ),
    ),
    "value": (
        *("value", "rating", "ratings", "score", "stars", "weight", "plays", "playcount", "count", "listens"),
        *("listeningcount", "quantity", "preference"),
    ),
    "time": (
        *("time", "timestamp", "ts", "datetime", "date", "when", "utc", "utctime", "unixtime", "createdat"),
        *("reviewtime", "unixreviewtime"),
    ),
    "title": (
        "title",
        "itemtitle",
        "itemname",
        "movietitle",
        "moviename",
        "artistname",
        "productname",
        "productname",
    ),
}
_NEEDED = ("person", "item")


def choose(path: Path, columns: Sequence[str], named: dict[str, str | None]) -> dict[str, str]:
    """role -> column, for every role that is named or can be guessed; each column has one role."""
    chosen: dict[str, str] = {}
    for role, column in named.items():
        if column is not None:
            if column not in columns:
                raise unknown(f"{role} column of {path}:", column, columns)
            chosen[role] = column
    for role in USUAL_NAMES:
        guess = _guess(role, [column for column in columns if column not in chosen.values()])
        if role not in chosen and guess is not None:
            chosen[role] = guess
    for role in _NEEDED:
        if role not in chosen:
            found = ", ".join(columns)
            option = "user" if role == "person" else role
            remedy = f'name it (--{option} COLUMN, or in Python {option}="..."), or add a line of names'
            raise DataError(f"{path}: expected a column for the {role}, got the columns {found}; {remedy}")
    repeated = [column for column in chosen.values() if list(chosen.values()).count(column) > 1]
    if repeated:
        raise DataError(
            f"{path}: expected one role a column, got {repeated[0]!r} for two; name each column once"
        )
    return chosen


def _guess(role: str, columns: Sequence[str]) -> str | None:
    plain = {re.sub(r"[\W_]+", "", column).lower(): column for column in reversed(columns)}
    return next((plain[name] for name in USUAL_NAMES[role] if name in plain), None)
