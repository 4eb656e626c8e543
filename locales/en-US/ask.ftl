# /ask, and the message command beside it. Names of commands: see commands.ftl; that of a message command has at most 32 characters.

command-ask = ask
command-ask-description = Ask the model something
command-ask-about = Ask about this
ask-question = What you want to know
ask-file = A picture or file that the question is about
ask-private = Only you see the answer

# A modal: title and label have at most 45 characters, the default question 100.
ask-about-title = Ask about this message
ask-about-label = Question
ask-about-default = What does this message say?

# Above the answer, so that others see what was asked. One line of Markdown.
ask-heading = > **{ $name }:** { $question }
ask-heading-about = > **{ $name }** about [this message]({ $link }): { $question }
