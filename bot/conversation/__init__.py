"""What the model gets to read: who said what, as a request within its budget."""
