"""What a folder of several runs was asked to be, as one JSON file: a comparison's, or a study's."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from covey.errors import RunError
from covey.runs.directory import clear_errors, new_folder, write_whole

Asked = TypeVar("Asked")


@dataclass(frozen=True)
class AskedFile(Generic[Asked]):
    """The file of one kind of folder: how it is called, and what it holds."""

    kind: str  # "comparison"
    name: str  # "comparison.json"
    command: str  # "covey compare"
    type: type[Asked]
    flat: Callable[[Asked], Mapping[str, Any]]  # what makes two of them the same, by what it is called
    completed: Callable[[Asked], Asked]  # with the keys that came after it was written, at their defaults

    def create(self, path: Path, asked: Asked) -> None:
        """Makes the folder, whole or not at all; RunError where something is there already."""
        with clear_errors(path):
            if (path / self.name).exists():
                self._refuse_existing(path, asked)
            with new_folder(path, self.kind) as draft:
                (draft / self.name).write_bytes(_encoded(asked))

    def rewrite(self, path: Path, asked: Asked) -> None:
        """Replaces the file."""
        write_whole(path / self.name, _encoded(asked))

    def read(self, path: Path) -> Asked:
        """What the folder was asked to be; RunError where there is none."""
        try:
            return self.completed(msgspec.json.decode((path / self.name).read_bytes(), type=self.type))
        except (FileNotFoundError, NotADirectoryError):
            raise RunError(
                f"no {self.kind} at {path}: it has no {self.name}; give a folder that {self.command} made"
            ) from None
        except OSError as error:
            raise RunError(
                f"cannot read {path / self.name}: {(error.strerror or str(error)).lower()}"
            ) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RunError(f"{path / self.name} is damaged: {error}") from None

    def _refuse_existing(self, path: Path, asked: Asked) -> None:
        """Says why a folder that holds one cannot be used for another."""
        different = difference(self.flat(self.read(path)), self.flat(asked))
        if different is None:
            raise RunError(
                f"{path} already holds this {self.kind}; go on with it by --resume {path}, or give another folder"
            )
        raise RunError(f"{path} belongs to another configuration ({different}); give another folder")


def difference(stored: Mapping[str, Any], asked: Mapping[str, Any]) -> str | None:
    """The first key in which two differ, in words; None where they agree."""
    old, new = (msgspec.json.decode(msgspec.json.encode(each)) for each in (stored, asked))
    for name in [*new, *old]:
        if old.get(name) != new.get(name):
            return f"{name} is {old.get(name)!r} there, {new.get(name)!r} here"
    return None


def _encoded(asked: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(asked), indent=2) + b"\n"
