"""Is this message for us?"""
