# Why somebody is not answered.

refusal-blocked = You are blocked here, so I do not answer you.
refusal-server-closed = Whoever runs this bot has not opened it for this server.
refusal-no-direct-messages = I do not answer direct messages from you. Ask me in a server.
refusal-channel-closed = I do not answer in this channel.
refusal-role-missing = In this server only people with certain roles may ask me.
refusal-cooldown = That was a little quick. Please leave a pause between two questions.
refusal-hourly-quota = You have asked as much as you may in an hour in this server.
refusal-daily-quota = You have asked as much as you may in a day in this server.
refusal-bots = I do not answer bots here.
refusal-place-unknown = Discord has not told me about this channel yet. Please ask again in a moment.
refusal-cannot-send = I may not write here. Ask me elsewhere, or ask whoever runs the server to let me.
refusal-timed-out = I am in time-out in this server and cannot write.
refusal-sends-refused = Discord did not let me write here a moment ago. Ask me elsewhere, or ask whoever runs the server to let me.
refusal-until = You can ask again: { $when }
