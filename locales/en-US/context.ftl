# What of a conversation is read: /new, /compact, and what is said when something is left out.

command-new = new
command-new-description = Begin anew here: I no longer read what was said before
command-compact = compact
command-compact-description = Fold what was said here into a summary, so that I can go on for longer
context-new = Done. From now on I no longer read what was said here before.
context-compacted-done = Done. What was said earlier is a summary now; the newest messages stay as they are.
context-compacted-too-short = There is too little here to be worth a summary.
context-compacted-failed = The summary did not come about; everything stays as it was. Please try again later.
context-compacted-busy = This conversation is being summarized right now. Please wait until that is done.
notice-context-cut = ✂️ This conversation is longer than I can read at once: I left out or shortened what is oldest.
thread-name = A question from { $name }
