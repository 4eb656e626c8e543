"""May this person ask that here? The one gate of all entrances, and what it counts."""
