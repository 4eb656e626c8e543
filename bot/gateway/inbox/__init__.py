"""Messages in order, each once, and what belongs together as one question."""
