"""Settings chosen on the validation part, by trials that Optuna proposes; the test rows are nowhere in it."""

from covey.tuning.study import Study, open_study, start_study, tune

__all__ = ["Study", "open_study", "start_study", "tune"]
