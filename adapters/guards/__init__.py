"""What is not text although it came as text: guards between a protocol's words and the visible answer."""
