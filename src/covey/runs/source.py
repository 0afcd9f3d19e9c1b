"""Where a run's data came from: kept in its configuration, so that it can be read again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from covey.datasets import Interactions, load, read
from covey.datasets.tables import is_table
from covey.errors import ConfigError

ROLES = ("person", "item", "value", "time", "group")


class DataSource(msgspec.Struct, frozen=True, kw_only=True):
    """A dataset's name or a file's path as it was given, where it lies, and which columns it was read by."""

    data: str
    data_path: str = ""  # absolute: a run may be gone on with from another folder; empty: looked up by name
    person_column: str = ""
    item_column: str = ""
    value_column: str = ""
    time_column: str = ""
    group_column: str = ""

    def load(self) -> Interactions:
        """The data, read anew."""
        columns = {role: getattr(self, f"{role}_column") or None for role in ROLES}
        if self.is_file:
            return read(self.data_path or self.data, **columns)
        named = [role for role, column in columns.items() if column]
        if named:
            raise ConfigError(
                f"a {named[0]} column is given, but {self.data!r} is no file: "
                "columns are for CSV, TSV and Parquet files"
            )
        return load(self.data, self.data_path or None)

    @property
    def is_file(self) -> bool:
        """Whether it is somebody's own file rather than a named dataset."""
        return is_table(self.data) or Path(self.data_path or self.data).is_file()

    def keys(self) -> dict[str, str]:
        """What a configuration keeps: the keys that say something."""
        return {
            name: value for name in self.__struct_fields__ if (value := getattr(self, name)) or name == "data"
        }


def source_of(
    data: str, path: str | Path | None = None, columns: Mapping[str, str | None] | None = None
) -> DataSource:
    """The source that somebody asks for: a dataset by name, found in `path` if that is given, or a file."""
    where = Path(data) if path is None and (is_table(data) or Path(data).is_file()) else path
    named = {f"{role}_column": column for role, column in (columns or {}).items() if column}
    return DataSource(data=data, data_path=str(Path(where).absolute()) if where else "", **named)


def stored_source(config: Mapping[str, Any]) -> DataSource:
    """The source that a run's configuration keeps."""
    return DataSource(**{name: config[name] for name in DataSource.__struct_fields__ if name in config})
