"""What stays at home refuses to travel: it does not print what it holds, and it cannot be pickled or copied."""

from typing import NoReturn

from covey.errors import PrivacyError


class StaysHome:
    """Refuses every way in which Python copies an object somewhere else."""

    def _refuse(self, *_: object) -> NoReturn:
        raise PrivacyError(f"{type(self).__name__} stays on its device; send a message of the schema instead")

    __reduce__ = __reduce_ex__ = __copy__ = __deepcopy__ = __getstate__ = _refuse  # type: ignore[assignment]  # refusing is the point

    def __repr__(self) -> str:
        return f"{type(self).__name__}(kept at home)"
