"""Times in whatever form a table has them -> seconds since 1970."""

import polars as pl

from covey.datasets.text import Table
from covey.errors import DataError

# A count of seconds that is over 10^11 would be after the year 5138; counted in milliseconds it is 1973.
_UNITS = ((10**17, 10**9, "nanoseconds"), (10**14, 10**6, "microseconds"), (10**11, 10**3, "milliseconds"))
_FORMATS = ("%+", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f%#z", "%Y-%m-%d %H:%M")
_OTHER_FORMATS = ("%a %b %d %H:%M:%S %z %Y",)  # Foursquare's and Twitter's


def seconds(table: Table) -> tuple[pl.Series, str | None]:
    """The table's time column in whole seconds, and a note where numbers were not taken as seconds."""
    time = table.frame["time"]
    if isinstance(time.dtype, pl.Date | pl.Datetime):
        return _epoch(time), None
    if time.dtype == pl.String:
        numbers = time.str.strip_chars().cast(pl.Float64, strict=False)
        if numbers.has_nulls():
            return _from_text(time, table), None
        whole = time.str.strip_chars().cast(pl.Int64, strict=False)
        time = numbers if whole.has_nulls() else whole
    if not time.dtype.is_numeric():
        expected = "expected numbers, dates or text in the time column"
        raise DataError(
            f"{table.source}: {expected}, got {time.dtype}; convert the column or name another time"
        )
    return _from_numbers(time, table)


def _from_numbers(time: pl.Series, table: Table) -> tuple[pl.Series, str | None]:
    if time.dtype.is_float():
        _require(time.is_finite().fill_null(False), time, table, "a finite time")
        time = time.floor().cast(pl.Int64, strict=False)
    time = time.cast(pl.Int64)
    _require(time.is_not_null(), time, table, "a time")
    middle = time.abs().median()
    for least, per_second, name in _UNITS:
        if isinstance(middle, float) and middle >= least:
            return time // per_second, f"Times are taken as {name} since 1970."
    return time, None


def _from_text(time: pl.Series, table: Table) -> pl.Series:
    """Dates with or without a time of day; those without a zone are taken as UTC."""
    text = time.str.strip_chars()
    read = _epoch(text.str.to_date("%Y-%m-%d", strict=False))
    for form in (*_FORMATS, *_OTHER_FORMATS):
        if not read.has_nulls():
            break
        zoned = form == "%+" or "z" in form
        instant = text.str.to_datetime(form, strict=False, time_unit="ms", time_zone="UTC" if zoned else None)
        read = read.zip_with(read.is_not_null(), _epoch(instant))
    # Among numbers the word is at fault, among dates the number.
    numbers = text.cast(pl.Float64, strict=False)
    fine = read if read.null_count() <= numbers.null_count() else numbers
    _require(fine.is_not_null(), time, table, "seconds since 1970 or a date such as 2024-05-31T18:00:00")
    return read


def _epoch(time: pl.Series) -> pl.Series:
    return time.cast(pl.Datetime("ms")).dt.epoch("s") if time.dtype == pl.Date else time.dt.epoch("s")


def _require(fine: pl.Series, time: pl.Series, table: Table, expected: str) -> None:
    """Raises a DataError at the first row that is not fine."""
    row = fine.arg_min()
    if row is not None and not fine[row]:
        raise DataError(
            f"{table.place(row)}: expected {expected}, got {time[row]!r} in 'time'; mend or remove it"
        )
