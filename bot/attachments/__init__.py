"""Files at messages: what a model gets to read or see of them, and what a person is told of those that were not read."""
