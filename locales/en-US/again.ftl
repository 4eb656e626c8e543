# /retry and /continue: names of commands and options, descriptions (at most 100 characters), answers.
command-retry = retry
command-retry-description = Answer my last question here anew
command-continue = continue
command-continue-description = Go on with the last answer here that broke off
again-answer-name = answer
again-answer = The link or id of another answer, if not the last one to you
again-none = There is no answer to you here that I still know.
again-unknown = I do not know that answer (any more).
again-no-message = That is neither the link of a message nor its id. Right-click the answer and choose “Copy Message Link”.
again-regenerate = I am answering anew, in the place of the old answer.
again-continue = I am going on where the answer broke off.
again-by-button = That answer came by a command. Please use the button under it.
control-is-whole = That answer did not break off; there is nothing to go on with.
