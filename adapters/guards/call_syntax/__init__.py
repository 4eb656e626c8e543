"""How models write calls as text: the marks around them, and what stands between. Pure functions over whole blocks."""
