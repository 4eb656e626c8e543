"""A guard for calls that the model wrote as text; machine.py is its door."""
