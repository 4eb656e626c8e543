"""One question becomes one answer: queue, pure machine, and the runner that drives it."""
