"""Covey: recommendations learned together while every history stays at home."""

__version__ = "0.1.0"
