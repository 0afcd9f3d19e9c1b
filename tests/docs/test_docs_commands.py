"""Commands in pages can be typed as they stand, and what a fresh machine installs is pinned."""

import re
import shlex
import tomllib
from itertools import pairwise

import pytest
from covey_docs.commands import leaves
from repository import PAGES, ROOT, name_of

from covey.algorithms.registry import ALGORITHMS
from covey.runs.keys import algorithm_keys, run_keys

_BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_MAKE = re.compile(r"(?:`|^)make ([a-z]+)\b", re.MULTILINE)


def typed() -> list[tuple[str, str]]:
    """Every line of every block that starts with covey, with its page."""
    blocks = ((name_of(page), block) for page in PAGES for block in _BLOCK.findall(page.read_text("utf-8")))
    lines = ((page, line) for page, block in blocks for line in block.splitlines())
    return [(page, line) for page, line in lines if line.startswith("covey ") and "[OPTIONS]" not in line]


@pytest.mark.parametrize(("page", "line"), typed())
def test_a_command_in_a_page_exists_with_its_options_and_keys(page, line):
    words = shlex.split(line.split("   ")[0])
    known = leaves()
    name = max((each for each in known if words[: len(each.split())] == each.split()), key=len, default=None)
    assert name is not None, f"{page}: no such command"
    options = {option for param in known[name].params for option in param.opts}
    assert [word for word in words if word.startswith("-") and word not in options] == []
    keys = {key.name for algorithm in ALGORITHMS for key in algorithm_keys(algorithm)}
    keys |= {key.name for key in run_keys()} | {"KEY"}
    for before, word in pairwise(words):
        # A comparison takes NAME.KEY=VALUE too.
        assert before not in ("--set", "--over") or word.partition("=")[0].rpartition(".")[2] in keys


def test_every_make_target_in_a_page_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {name for page in PAGES for name in _MAKE.findall(page.read_text("utf-8"))}
    assert {"demo", "test", "check", "docs"} <= named <= targets


def test_every_dependency_is_pinned_to_a_plain_version():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [line for line in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", line)] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = [wanted for group in project["project"]["optional-dependencies"].values() for wanted in group]
    wanted = [*project["project"]["dependencies"], *extras, *project["build-system"]["requires"]]
    names = {re.match(r"[A-Za-z0-9._-]+", each)[0].lower() for each in wanted} - {"covey"}  # its own extras
    assert names <= {line.split("==")[0].lower() for line in pins}


def test_the_pin_of_pytorch_is_one_and_the_same_everywhere():
    for name in ("constraints.txt", "pyproject.toml", "Makefile"):
        assert set(re.findall(r"torch==([\w.+]+)", (ROOT / name).read_text("utf-8"))) == {"2.13.0"}, name
