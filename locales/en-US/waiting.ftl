# Questions that wait, and what later messages do to those before them.

waiting-ahead = { $count ->
    [one] ⏳ One before you
   *[other] ⏳ { $count } before you
}
notice-queue-full-person = So many of your questions are waiting in this channel already. Please let me answer those first.
notice-superseded = ⏭️ You wrote more; the next answer takes over from here.
notice-question-edited = ✏️ The question was edited.
