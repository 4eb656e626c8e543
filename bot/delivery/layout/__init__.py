"""Text into messages: a window that is cut when it is full, and what may be shown of it before."""
