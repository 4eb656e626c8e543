# What the model thought, where it is shown apart from its answer.

thoughts-thinking = 💭 Thinking …
thoughts-thought = 💭 Thought for { $seconds ->
    [one] one second
   *[other] { $seconds } seconds
}
thoughts-of = 💭 Thoughts on { $question }
thoughts-thread = Thoughts
thoughts-file = What the model thought before it answered
thoughts-page = 💭 Page { $page } of { $pages }
thoughts-none = No thoughts are kept of this answer.
