"""The trust boundary: what sees messages cannot name a history, and what is light to import stays light."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import covey

HOME = Path(covey.__file__).parent
PRIVATE_ROOMS = ("device", "datasets", "splits")
PRIVATE_NAMES = {"PrivateState", "Population", "History", "Histories", "Interactions", "Split"}


def modules(*rooms: str) -> list[Path]:
    return sorted(file for room in rooms for file in (HOME / room).rglob("*.py"))


def imported(file: Path) -> Iterator[tuple[str, str]]:
    """Every (module, name) that a file imports anywhere in it, also for type checking alone."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} imports relatively, which hides where from"
            yield from ((node.module or "", alias.name) for alias in node.names)


def reached(file: Path) -> set[Path]:
    """The files of Covey that importing this one brings along, directly or through others."""
    seen, waiting = set[Path](), [file]
    while waiting:
        for module, name in imported(waiting.pop()):
            for dotted in (module, f"{module}.{name}"):
                if dotted.split(".")[0] != "covey":
                    continue
                path = HOME.joinpath(*dotted.split(".")[1:])
                for found in (path.with_suffix(".py"), path / "__init__.py"):
                    if found.exists() and found not in seen:
                        seen.add(found)
                        waiting.append(found)
    return seen


def room_of(file: Path) -> str:
    return file.relative_to(HOME).parts[0]


seers = pytest.mark.parametrize(
    "file", modules("server", "aggregation", "messages"), ids=lambda file: str(file.relative_to(HOME))
)


@seers
def test_what_sees_messages_imports_nothing_private_even_through_others(file: Path) -> None:
    assert {room_of(other) for other in reached(file)}.isdisjoint(PRIVATE_ROOMS)


@seers
def test_what_sees_messages_does_not_even_name_what_is_private(file: Path) -> None:
    tree = ast.parse(file.read_text())
    named = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    named |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    named |= {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert not named & PRIVATE_NAMES
    assert not any(f"covey.{room}" in name for name in named for room in PRIVATE_ROOMS)


def test_the_walk_would_find_a_breach() -> None:
    assert "splits" in {room_of(file) for file in reached(HOME / "algorithms" / "fedncf.py")}


def loaded_by(imports: str) -> set[str]:
    """The outermost modules that are loaded after this statement in a process of its own."""
    code = (
        f"import sys\n{imports}\nsys.stdout.write(' '.join({{name.split('.')[0] for name in sys.modules}}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_covey_loads_nothing_heavy() -> None:
    assert loaded_by("import covey").isdisjoint({"numba", "numpy", "polars", "torch", "typer", "httpx"})


def test_what_runs_on_a_device_stays_light() -> None:
    rooms = ("device", "messages", "models", "aggregation", "server")
    dotted = [".".join(("covey", *file.relative_to(HOME).with_suffix("").parts)) for file in modules(*rooms)]
    loaded = loaded_by("\n".join(f"import {name.removesuffix('.__init__')}" for name in dotted))
    assert loaded.isdisjoint({"polars", "torch", "typer", "rich", "httpx"})
