"""Attacks on what left the devices, and how far they got: a simulator knows the truth that they are after."""

from covey.audit.audits import AUDITS, audit, refuse, write_audit

__all__ = ["AUDITS", "audit", "refuse", "write_audit"]
