# Buttons under an answer, and what who presses one is told.

button-stop = Stop
button-retry = Retry
button-continue = Continue

control-not-yours = Only who asked, or a moderator, may press this.
control-unknown = This answer is not known any more. Asking again gives a new one.
control-may-not-write = I may not write here any more, so the answer stays as it is.
control-restarting = Parley is restarting. Please press again in a moment.
control-busy = This answer is being written just now.
control-nothing-to-stop = Nothing is running here that could be stopped.
control-stopped = Stopped.
control-not-deleted = Discord did not let me delete all of this answer.
control-question-gone = The question of this answer is gone, so the answer stays as it is.

# A message of nothing but one of these words stops what is being written. Separated by commas.
stop-words = stop, halt
