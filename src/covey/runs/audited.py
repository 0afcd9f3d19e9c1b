"""What an audit found, as a run's folder keeps it: means over many groups or people, and nobody's own data."""

import msgspec


class Estimate(msgspec.Struct, frozen=True):
    """A mean over groups (or people) and its 95% interval."""

    mean: float
    low: float
    high: float
    over: int  # how many groups (or people) it is a mean of


class Curve(msgspec.Struct, frozen=True):
    """How one attacker fares as something grows: what they know, or how many rounds they saw."""

    attacker: str
    reads_message: bool  # False: a baseline, who knows all the same but what left the devices
    x: tuple[float, ...]
    y: tuple[Estimate, ...]


class Chart(msgspec.Struct, frozen=True):
    """Attackers beside each other."""

    key: str  # what a file calls it: "unknown"
    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    x_is_share: bool = True  # x is shown in percent
    drawn: bool = True  # False: figures for tables, which no picture needs


class Level(msgspec.Struct, frozen=True):
    """How one attacker fares where nothing grows."""

    attacker: str
    reads_message: bool
    reached: Estimate


class Headline(msgspec.Struct, frozen=True):
    """The one number of a finding, beside what is reached without the message."""

    measure: str
    reached: Estimate
    chance: float  # what somebody reaches who never saw the message
    chance_means: str  # who that is


class Finding(msgspec.Struct, frozen=True):
    """One thing that somebody could try."""

    key: str  # what a file calls it: "people"
    title: str
    attacker_has: str
    found: str  # a sentence
    headline: Headline
    charts: tuple[Chart, ...] = ()
    levels: tuple[Level, ...] = ()  # in the headline's measure


class Audit(msgspec.Struct, frozen=True):
    """Every finding on one run."""

    algorithm: str
    audited: int  # groups (or people) that were attacked
    of: int  # groups (or people) there are
    audited_are: str  # "groups"
    seed: int
    covey: str  # the version that made it
    findings: tuple[Finding, ...]
