# /help: how to talk with the bot, and the commands.
command-help = help
command-help-description = How to talk with me, and what I can do here
help-title = Talking with Parley
help-talk = Mention me ({ $me }), reply to me, or write me a direct message, and a language model answers. Files and pictures at your message are read too. “stop” as a whole message ends an answer; the buttons under it write it anew, go on, or delete it. Right-click a message and choose “Apps” to ask about it.
help-commands = Commands
help-manage = For people who manage this server
help-more = What is stored and who reads it: { $privacy }
