# What stands under an answer, or instead of one.

footer-answered = { $model } · { $seconds } s
notice-length = ✂️ The model reached its length limit; the answer stops here.
notice-filtered = ✂️ The provider's content filter stopped the answer here.
notice-incomplete = ✂️ The provider ended the answer without its usual end mark; it may not be whole.
notice-stopped = ⏹️ Stopped.
notice-restarting = ⏹️ Parley is restarting; the answer stops here. Please ask again in a moment.
notice-timeout = ⏹️ This took too long; the answer stops here.
notice-blocked = 🚫 Discord did not let the rest of this answer through: its filters, as a rule.
notice-empty = 💬 The model sent nothing to show. Asking again, or in other words, often helps.
notice-only-thoughts = 💭 The model only thought and gave no answer. Asking again, or in other words, often helps.
notice-thoughts-too-long = ✂️ The model spent its whole length limit on thinking and never came to its answer. A higher limit, or less effort, helps.
notice-tool-unavailable = 🧰 The model wanted to use a tool, but none is available here.
notice-queue-full = Too many questions are waiting in this channel. Please ask again in a moment.
notice-no-model = No language model is set up yet. Whoever runs this bot can set LLM_PROVIDER and LLM_MODEL.
