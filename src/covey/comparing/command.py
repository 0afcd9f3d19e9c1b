"""The command that builds a comparison again."""

from covey.comparing.asked import Asked
from covey.runs.command import plain, source_options
from covey.runs.keys import algorithm_keys, run_keys
from covey.runs.source import stored_source


def command(asked: Asked) -> list[str]:
    """The words of the command line that builds the comparison again."""
    words = ["covey", "compare"]
    words += [
        each.name if each.name == each.algorithm else f"{each.algorithm}:{each.name}"
        for each in asked.entries
    ]
    words += [*source_options(stored_source(asked.source)), "--repeats", str(asked.repeats)]
    words += ["--seed", str(asked.seeds[0]), "--metric", asked.reading.metric]
    words += ["--test", asked.reading.test, "--rope", plain(asked.reading.rope)]
    for key in run_keys():
        value = asked.run_settings[key.name]
        if key.name not in ("seed", "workers") and plain(value) != plain(key.default):
            words += ["--set", f"{key.name}={plain(value)}"]
    for entry in asked.entries:
        for key in algorithm_keys(entry.algorithm):
            if plain(entry.settings[key.name]) != plain(key.default):
                words += ["--set", f"{entry.name}.{key.name}={plain(entry.settings[key.name])}"]
    return words
