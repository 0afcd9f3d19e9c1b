"""The command that builds a run again, from the configuration that its folder keeps."""

import shlex
from collections.abc import Mapping
from typing import Any

from covey.runs.keys import algorithm_keys, run_keys
from covey.runs.source import ROLES, DataSource, stored_source

# These change no bit of the result, or have an option of their own.
_LEFT_OUT = ("seed", "workers")


def rebuilding(config: Mapping[str, Any]) -> str:
    """A command line with every key that is not at its default; defaults are left to the program."""
    source = stored_source(config)
    words = ["covey", "train", config["algorithm"], *source_options(source), "--seed", str(config["seed"])]
    for key in [*algorithm_keys(config["algorithm"]), *run_keys()]:
        value = config.get(key.name)
        if value is not None and key.name not in _LEFT_OUT and plain(value) != plain(key.default):
            words += ["--set", f"{key.name}={plain(value)}"]
    return shlex.join(words)


def source_options(source: DataSource) -> list[str]:
    """The options that name a source on the command line."""
    options = ["--data", source.data]
    options += ["--path", source.data_path] if source.data_path and not source.is_file else []
    for role in ROLES:
        column = getattr(source, f"{role}_column")
        options += ["--user" if role == "person" else f"--{role}", column] if column else []
    return options


def plain(value: Any) -> str:
    """A value as `--set` takes it: true, 0.05, gmf, 48,24,12."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    if isinstance(value, list | tuple):
        return ",".join(plain(part) for part in value)
    return str(value)
