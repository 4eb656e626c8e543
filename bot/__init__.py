"""Parley's Discord side."""

VERSION = "0.1.0"
