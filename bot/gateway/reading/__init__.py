"""discord.py's messages and files → what the model reads."""
