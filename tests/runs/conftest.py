"""Every round of a test's run is saved, however quick it is."""

import pytest

from covey.runs import checkpoint


@pytest.fixture(autouse=True)
def _save_every_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "PAUSE_S", 0.0)
