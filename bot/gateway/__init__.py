"""Discord's side of a turn: the client, who is answered, and the channel as the turn sees it."""
