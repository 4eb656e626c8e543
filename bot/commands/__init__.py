"""Slash commands, one file a topic."""
